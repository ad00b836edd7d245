import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { webagent } from 'vite-plugin-webagent'

export default defineConfig({
  plugins: [react(), webagent()],
})
