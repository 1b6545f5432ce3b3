-- CONTRACT 0.1.0

DROP INDEX "registrations_list";
