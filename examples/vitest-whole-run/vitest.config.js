import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { globalSetup: 'tanzanite/global-setup' } });
