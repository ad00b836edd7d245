import { useState } from 'react'
import { useTool } from 'webagent-react'

const teas = [
  { id: 'assam', name: 'Assam Breakfast' },
  { id: 'sencha', name: 'Sencha Green' },
]

function Shelf() {
  const [sold, setSold] = useState(false)
  const left = teas.filter(({ id }) => !sold || id !== 'assam')
  useTool('findTeas', (word) => left.filter(({ name }) => name.toLowerCase().includes(word)))
  return <button onClick={() => setSold(true)}>Buy {left.length}</button>
}

export default function App() {
  const [open, setOpen] = useState(true)
  return (
    <main>
      {open && <Shelf />}
      <button onClick={() => setOpen(false)}>Close</button>
    </main>
  )
}
