-- Written by hand. SQLite uses the pages of deleted rows again by itself.
SELECT 1;
