"""The referee: tiles, sets, rules, turns, matches. Plain Python: no camera, no web, no arrays."""
