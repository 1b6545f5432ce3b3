CREATE TABLE `scan_record_counts` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`records` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);

INSERT INTO scan_record_counts (user_id, records) SELECT user_id, count(*) FROM scan_records GROUP BY user_id;
