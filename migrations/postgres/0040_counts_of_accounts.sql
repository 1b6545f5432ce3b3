-- EXPAND 0.1.0
-- Without a limit of time: the statements lock no row that others change. Written by hand. In one snapshot, what the triggers have noted since the last
-- migration is not counted a second time.
INSERT INTO list_totals (list, owner, n)
  SELECT 'users.all', 0, (SELECT count(*) FROM users WHERE status <> 'DELETED')
    - (SELECT coalesce(sum(n), 0) FROM (SELECT n FROM list_totals WHERE list = 'users.all' UNION ALL SELECT n FROM list_changes WHERE list = 'users.all') AS noted)
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
INSERT INTO list_totals (list, owner, n)
  SELECT 'sessions.active', 0, (SELECT count(*) FROM sessions WHERE status = 'ACTIVE')
    - (SELECT coalesce(sum(n), 0) FROM (SELECT n FROM list_totals WHERE list = 'sessions.active' UNION ALL SELECT n FROM list_changes WHERE list = 'sessions.active') AS noted)
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
INSERT INTO list_totals (list, owner, n)
  SELECT 'login_records.all', 0, (SELECT count(*) FROM login_records)
    - (SELECT coalesce(sum(n), 0) FROM (SELECT n FROM list_totals WHERE list = 'login_records.all' UNION ALL SELECT n FROM list_changes WHERE list = 'login_records.all') AS noted)
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
INSERT INTO list_totals (list, owner, n)
  SELECT 'organizations.all', 0, (SELECT count(*) FROM organizations)
    - (SELECT coalesce(sum(n), 0) FROM (SELECT n FROM list_totals WHERE list = 'organizations.all' UNION ALL SELECT n FROM list_changes WHERE list = 'organizations.all') AS noted)
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
INSERT INTO list_totals (list, owner, n)
  SELECT 'categories.all', 0, (SELECT count(*) FROM categories)
    - (SELECT coalesce(sum(n), 0) FROM (SELECT n FROM list_totals WHERE list = 'categories.all' UNION ALL SELECT n FROM list_changes WHERE list = 'categories.all') AS noted)
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
