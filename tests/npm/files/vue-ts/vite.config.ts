import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'
import { webagent } from 'vite-plugin-webagent'

export default defineConfig({
  plugins: [vue(), webagent()],
})
