"""From a picture to a layout: camera, quads, faces, inks, rows, reading. Knows nothing of turns."""
