-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "identities_issuer" ON "identities" USING btree ("issuer","user_id") WHERE "identities"."issuer" is not null;
