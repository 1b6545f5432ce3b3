-- EXPAND 0.1.0
-- Written by hand. A server that has users was set up before there was a wizard for it. Processes of the version before ignore this row.
INSERT INTO settings (key, value, updated_at)
  SELECT 'server.setup', '{"done":true,"marks":{}}', 0 WHERE EXISTS (SELECT 1 FROM users)
  ON CONFLICT (key) DO NOTHING;
