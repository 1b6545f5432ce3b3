-- EXPAND 0.1.0

ALTER TABLE `supply_loans` ADD `given_due_at` integer;
