-- EXPAND 0.1.0
-- Without a limit of time: only registrations with a pass or a check-in are written, and writes of others that meet one are repeated. Written by hand. What the
-- triggers have noted since the migration before is not counted a second time.
UPDATE registrations AS r SET has_pass = f.has_pass, came_in = f.came_in FROM participant_facts AS f
  WHERE f.id = r.id AND (r.has_pass <> f.has_pass OR r.came_in <> f.came_in);

INSERT INTO list_totals (list, owner, n)
  SELECT list, owner, sum(n) FROM (
    SELECT 'participants.' || r.status || '.' || r.source || CASE WHEN r.user_id IS NULL THEN '.guest' ELSE '' END || CASE WHEN r.has_pass THEN '.pass' ELSE '' END || CASE WHEN r.came_in THEN '.in' ELSE '' END AS list, r.activity_id AS owner, count(*) AS n
      FROM registrations AS r GROUP BY 1, 2
    UNION ALL SELECT list, owner, -n FROM list_totals WHERE list LIKE 'participants.%'
    UNION ALL SELECT list, owner, -n FROM list_changes WHERE list LIKE 'participants.%'
  ) AS counted GROUP BY list, owner HAVING sum(n) <> 0
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
