import { defineConfig } from '@playwright/test';
import chromium from '@sparticuz/chromium';

export default defineConfig({
  workers: 1,
  reporter: 'line',
  use: {
    accountOptions: { credits: 60 },
    launchOptions: { executablePath: await chromium.executablePath(), args: chromium.args },
  },
});
