ALTER TABLE "password_tries" ADD COLUMN "locks" bigint DEFAULT 0 NOT NULL;
