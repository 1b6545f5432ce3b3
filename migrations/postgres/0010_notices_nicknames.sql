CREATE INDEX "outbox_codes" ON "outbox" USING btree ("channel","due_at") WHERE topic is not null;

UPDATE "users" SET "nickname" = 'User' || "id" WHERE "nickname" = '';
