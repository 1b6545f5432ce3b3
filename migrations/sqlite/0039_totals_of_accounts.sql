-- EXPAND 0.1.0
-- Nothing to do: triggers keep totals on PostgreSQL only.
SELECT 1;
