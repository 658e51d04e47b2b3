"""Draws labelled pictures of tables: editions, tables, lamps, cameras, games. Seeded."""
