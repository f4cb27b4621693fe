import { describe, expect, it } from 'vitest';
import { encodePart } from '../support/tokens.ts';
import { expectAccessible, skipReason, useConsole } from './console-browser.ts';

const title = 'The page Identity';
if (skipReason !== '') console.warn(title + skipReason);

const markup = '<img src=x onerror=alert(1)>\u202e"';
const hostile = (claims: object): string => `${encodePart({ alg: 'none', kid: markup })}.${encodePart(claims)}.AAAA`;

describe.skipIf(skipReason !== '')(title + skipReason, { timeout: 120_000 }, () => {
  const browser = useConsole({ identity: true });

  it('shows principals with their roles, makes tokens and rotates the key, with the keyboard only', async () => {
    const { identity } = browser.emulator();
    const reader = await identity.principal({
      name: markup,
      roles: ['Storage Table Data Reader', { role: 'Storage Table Data Contributor', account: 'shop', table: 'pets' }],
    });
    await reader.token({ audience: 'https://cosmos.azure.com' });
    const { page, faults } = await browser.open('identity');
    const principals = page.getByRole('region', { name: 'Principals' });
    const row = principals.getByRole('row').filter({ hasText: reader.clientId });
    const shown = await row.innerText();
    for (const text of [markup.slice(0, 28), '\\u202e', 'Storage Table Data Reader', 'shop/pets', '1 secret']) {
      expect(shown).toContain(text);
    }
    expect(await page.locator('img').count()).toBe(0);
    const given = page.getByRole('region', { name: 'Tokens given' }).getByRole('row').nth(1);
    expect(await given.innerText()).toContain('https://cosmos.azure.com');
    await expectAccessible(page);
    const keys = page.getByRole('region', { name: 'Keys' }).getByRole('row');
    expect(await keys.count()).toBe(2);
    await page.getByRole('button', { name: 'Rotate keys' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Rotate keys' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => keys.count()).toBe(3);
    expect(await keys.nth(2).innerText()).toContain('valid until');
    expect(faults).toEqual([]);
  });

  it('decodes a pasted token without sending it, and says what is wrong with it', async () => {
    const { page, faults } = await browser.open('identity');
    await page.getByRole('region', { name: 'Keys' }).waitFor();
    const token = await browser.emulator().identity.token();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    const box = page.getByLabel('Token', { exact: true });
    await box.fill(`Authorization: Bearer ${token}`);
    const parts = page.getByRole('region', { name: 'Parts of the token' });
    await parts.waitFor();
    expect(await parts.getByRole('row').filter({ hasText: /^aud/ }).innerText()).toContain('https://storage.azure.com');
    expect(await page.locator('.identity-verdict').innerText()).toContain('No fault was found');
    await expectAccessible(page);
    await box.fill(
      hostile({ aud: 'https://vault.azure.net', exp: 1, tid: markup, [markup]: markup, ['__proto__']: 1 }),
    );
    const verdict = page.locator('.identity-verdict');
    await expect.poll(() => verdict.innerText()).toContain('alg is not RS256');
    const said = await verdict.innerText();
    for (const text of ['has expired', 'aud is not the table service', 'tid is not the tenant'])
      expect(said).toContain(text);
    expect(await page.locator('img').count()).toBe(0);
    await box.fill(hostile({ exp: 1e300, nbf: -1e300, iat: 'now', aud: ['a'] }));
    await expect.poll(() => verdict.innerText()).toContain('exp is missing');
    for (const text of ['token', 'a.b', 'a.b.c', `${'x'.repeat(70_000)}.e30.e30`, `${encodePart('[]')}.e30.x`]) {
      await box.fill(text);
      await page.getByText('This is not a token').waitFor();
    }
    // Every page asks now and then whether a fault or a changed clock is in force. It sends nothing else.
    expect(sent.filter((request) => !/\/_emulator\/(faults|clock) $/.test(request))).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describe.skipIf(skipReason !== '')(`${title} without an issuer${skipReason}`, { timeout: 120_000 }, () => {
  const browser = useConsole();

  it('says how to start an issuer, and still decodes tokens', async () => {
    const { page } = await browser.open('identity');
    await page.getByText('This emulator gives no tokens').waitFor();
    await page.getByLabel('Token', { exact: true }).fill(hostile({ exp: 1 }));
    await page.getByText('It has expired').waitFor();
    await expectAccessible(page);
  });
});
