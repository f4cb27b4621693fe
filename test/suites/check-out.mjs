import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { prepareWith, runTool } from './run-tool.mjs';

/**
 * Checks out the chosen paths of a repository at a commit into a folder, unless the folder already contains this
 * commit. Rejects with MissingTool if git or the network is missing. Git's `url.<base>.insteadOf` can redirect the
 * repository to another address.
 */
export async function checkOut({ repository, commit, paths, folder }) {
  const git = (...args) => prepareWith('git', ['-C', folder, ...args]);
  if (existsSync(join(folder, '.git'))) {
    const { exitCode, stdout } = await runTool('git', ['-C', folder, 'rev-parse', 'HEAD']);
    if (exitCode === 0 && stdout.trim() === commit) return;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await git('init', '--quiet');
  await git('remote', 'add', 'origin', `https://github.com/${repository}`);
  await git('sparse-checkout', 'set', '--no-cone', ...paths);
  await git('fetch', '--quiet', '--depth', '1', '--filter=blob:none', 'origin', commit);
  await git('checkout', '--quiet', 'FETCH_HEAD');
}
