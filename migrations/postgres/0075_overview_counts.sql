-- EXPAND 0.1.0
-- Without a limit of time: the statement locks no row that others change. Written by hand. In one snapshot, what the triggers have noted since the last
-- migration is not counted a second time.
INSERT INTO list_totals (list, owner, n)
  SELECT list, owner, sum(n) FROM (
    SELECT k.list, p.activity_id AS owner, count(*) AS n FROM passes AS p CROSS JOIN LATERAL (VALUES
      ('passes.used', p.used_count > 0), ('passes.inside', p.is_inside), ('passes.revoked', p.revoked_at IS NOT NULL)
    ) AS k (list, is_in) WHERE p.deleted_at IS NULL AND k.is_in GROUP BY k.list, p.activity_id
    UNION ALL SELECT list, owner, -n FROM list_totals WHERE list IN ('passes.used', 'passes.inside', 'passes.revoked')
    UNION ALL SELECT list, owner, -n FROM list_changes WHERE list IN ('passes.used', 'passes.inside', 'passes.revoked')
  ) AS counted GROUP BY list, owner HAVING sum(n) <> 0
  ON CONFLICT (list, owner) DO UPDATE SET n = list_totals.n + excluded.n;
