// Makes a formula for Homebrew and a manifest for Scoop, for the archives of a release.

/** `sha256`: archive → digest. `address`: archive → where it is. */
export function homebrewFormula({ version, description, licence, repository, address, sha256 }) {
  const archive = (name, indent) =>
    [`url ${ruby(address(name))}`, `sha256 ${ruby(sha256[name])}`]
      .map((line) => `${' '.repeat(indent)}${line}`)
      .join('\n');
  const system = (name, arm, intel) =>
    `  on_${name} do\n    on_arm do\n${archive(arm, 6)}\n    end\n    on_intel do\n${archive(intel, 6)}\n    end\n  end`;
  return `class Tanzanite < Formula
  desc ${ruby(shortDescription(description))}
  homepage ${ruby(repository)}
  version ${ruby(version)}
  license ${ruby(licence)}

${system('macos', 'tanzanite-darwin-arm64.tar.gz', 'tanzanite-darwin-x64.tar.gz')}

${system('linux', 'tanzanite-linux-arm64.tar.gz', 'tanzanite-linux-x64.tar.gz')}

  def install
    bin.install "tanzanite"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/tanzanite --version").strip
  end
end
`;
}

/** The manifest also says how to find later versions, so that a Scoop bucket can follow the releases. */
export function scoopManifest({ version, description, licence, repository, address, sha256 }) {
  const archive = 'tanzanite-win-x64.zip';
  const later = address(archive).replace(`/v${version}/`, '/v$version/');
  const manifest = {
    version,
    description: shortDescription(description),
    homepage: repository,
    license: licence,
    architecture: { '64bit': { url: address(archive), hash: sha256[archive] } },
    bin: 'tanzanite.exe',
    checkver: { github: repository },
    autoupdate: { architecture: { '64bit': { url: later } }, hash: { url: '$baseurl/SHA256SUMS' } },
  };
  return `${JSON.stringify(manifest, undefined, 4)}\n`;
}

/** Homebrew's audit allows 80 characters. */
function shortDescription(description) {
  return description.split(': ')[0];
}

/** A Ruby string without interpolation. */
function ruby(text) {
  return `"${text.replace(/["\\]/g, '\\$&').replaceAll('#', '\\#')}"`;
}
