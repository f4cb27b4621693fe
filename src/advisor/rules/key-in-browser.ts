import { defineRule, Tally } from '../rule.ts';
import { requestText } from '../show-request.ts';
import { sharedAccessPage } from '../sources.ts';

export const keyInBrowser = defineRule<'key-in-browser'>({
  id: 'key-in-browser',
  severity: 'error',
  title: 'a web page contains the key of the account',
  why: 'A page that signs with Shared Key contains the key. Every visitor of the page can read and delete everything in the account.',
  advice:
    'Let your server give the page a shared access signature that grants only the permissions that the page needs, for a short time.',
  pattern: null,
  source: sharedAccessPage('When to use a shared access signature'),
  occasion: ({ all }) => all.some(({ isFromPage }) => isFromPage),
  judge({ all }, { count }) {
    const tally = new Tally(count);
    for (const by of all) {
      if (!by.isFromPage || by.client.credential !== 'key') continue;
      const { userAgent } = by.client;
      tally.add({ by, table: null, evidence: () => ({ userAgent, request: requestText(by) }) });
    }
    return tally.candidates;
  },
});
