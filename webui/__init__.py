"""The page and the console command: joins the reader and the referee."""
