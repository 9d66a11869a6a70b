import { defineConfig } from '@playwright/test';

// Without CHROMIUM, Playwright uses the browser that `npx playwright install chromium` downloaded.
const { CHROMIUM: executablePath } = process.env;

export default defineConfig({
  testMatch: 'page.spec.js',
  use: { launchOptions: { executablePath, args: executablePath ? ['--no-sandbox'] : [] } },
});
