/** All migrations in order, embedded in the executable. Written by scripts/migrate-new.ts. */

import sqlite0001 from './sqlite/0001_foundation.sql' with { type: 'text' }
import sqlite0002 from './sqlite/0002_orgs.sql' with { type: 'text' }
import sqlite0003 from './sqlite/0003_delivery.sql' with { type: 'text' }
import sqlite0004 from './sqlite/0004_accounts_complete.sql' with { type: 'text' }
import sqlite0005 from './sqlite/0005_notifications.sql' with { type: 'text' }
import sqlite0006 from './sqlite/0006_locations_shares.sql' with { type: 'text' }
import sqlite0007 from './sqlite/0007_code_orders.sql' with { type: 'text' }
import sqlite0008 from './sqlite/0008_transfers_subjects.sql' with { type: 'text' }
import sqlite0009 from './sqlite/0009_operation_log_known_devices.sql' with { type: 'text' }
import sqlite0010 from './sqlite/0010_notices_nicknames.sql' with { type: 'text' }
import sqlite0011 from './sqlite/0011_credentials.sql' with { type: 'text' }
import sqlite0012 from './sqlite/0012_scanned_codes.sql' with { type: 'text' }
import sqlite0013 from './sqlite/0013_organization_discovery.sql' with { type: 'text' }
import sqlite0014 from './sqlite/0014_totp.sql' with { type: 'text' }
import sqlite0015 from './sqlite/0015_files.sql' with { type: 'text' }
import sqlite0016 from './sqlite/0016_agreements.sql' with { type: 'text' }
import sqlite0017 from './sqlite/0017_app_updates.sql' with { type: 'text' }
import sqlite0018 from './sqlite/0018_assets_metadata.sql' with { type: 'text' }
import sqlite0019 from './sqlite/0019_file_counts.sql' with { type: 'text' }
import sqlite0020 from './sqlite/0020_activities_passes.sql' with { type: 'text' }
import sqlite0021 from './sqlite/0021_contacts_chat.sql' with { type: 'text' }
import sqlite0022 from './sqlite/0022_sync.sql' with { type: 'text' }
import sqlite0023 from './sqlite/0023_admin.sql' with { type: 'text' }
import sqlite0024 from './sqlite/0024_admin_data.sql' with { type: 'text' }
import sqlite0025 from './sqlite/0025_qr_code_scans.sql' with { type: 'text' }
import sqlite0026 from './sqlite/0026_undo_links.sql' with { type: 'text' }
import sqlite0027 from './sqlite/0027_second_factor_locks.sql' with { type: 'text' }
import sqlite0028 from './sqlite/0028_list_orders.sql' with { type: 'text' }
import sqlite0029 from './sqlite/0029_scan_record_counts.sql' with { type: 'text' }
import sqlite0030 from './sqlite/0030_repeat_keys.sql' with { type: 'text' }
import sqlite0031 from './sqlite/0031_dropped_references.sql' with { type: 'text' }
import sqlite0032 from './sqlite/0032_limits_and_processes.sql' with { type: 'text' }
import sqlite0033 from './sqlite/0033_list_totals.sql' with { type: 'text' }
import sqlite0034 from './sqlite/0034_autovacuum.sql' with { type: 'text' }
import sqlite0035 from './sqlite/0035_totals_of_quotas.sql' with { type: 'text' }
import sqlite0036 from './sqlite/0036_removals.sql' with { type: 'text' }
import sqlite0037 from './sqlite/0037_certificates.sql' with { type: 'text' }
import sqlite0038 from './sqlite/0038_local_authority.sql' with { type: 'text' }
import sqlite0039 from './sqlite/0039_totals_of_accounts.sql' with { type: 'text' }
import sqlite0040 from './sqlite/0040_counts_of_accounts.sql' with { type: 'text' }
import sqlite0041 from './sqlite/0041_reach.sql' with { type: 'text' }
import sqlite0042 from './sqlite/0042_failed_validations.sql' with { type: 'text' }
import sqlite0043 from './sqlite/0043_setup_of_older_servers.sql' with { type: 'text' }
import sqlite0045 from './sqlite/0045_server_pictures.sql' with { type: 'text' }
import sqlite0046 from './sqlite/0046_qr_links.sql' with { type: 'text' }
import sqlite0048 from './sqlite/0048_created_by_admin.sql' with { type: 'text' }
import sqlite0049 from './sqlite/0049_qr_visits.sql' with { type: 'text' }
import sqlite0051 from './sqlite/0051_qr_designs.sql' with { type: 'text' }
import sqlite0052 from './sqlite/0052_qr_blanks.sql' with { type: 'text' }
import sqlite0053 from './sqlite/0053_found.sql' with { type: 'text' }
import sqlite0054 from './sqlite/0054_activity_zone.sql' with { type: 'text' }
import sqlite0055 from './sqlite/0055_following_passes.sql' with { type: 'text' }
import sqlite0056 from './sqlite/0056_undo_and_auto_issue.sql' with { type: 'text' }
import sqlite0057 from './sqlite/0057_activity_messages.sql' with { type: 'text' }
import sqlite0058 from './sqlite/0058_event_mails.sql' with { type: 'text' }
import sqlite0059 from './sqlite/0059_kiosks_and_series.sql' with { type: 'text' }
import sqlite0060 from './sqlite/0060_description_format.sql' with { type: 'text' }
import sqlite0061 from './sqlite/0061_guests.sql' with { type: 'text' }
import sqlite0062 from './sqlite/0062_guests_indexes.sql' with { type: 'text' }
import sqlite0063 from './sqlite/0063_guests_contract.sql' with { type: 'text' }
import sqlite0070 from './sqlite/0070_check_in_lists.sql' with { type: 'text' }
import sqlite0071 from './sqlite/0071_check_in_lists_indexes.sql' with { type: 'text' }
import sqlite0073 from './sqlite/0073_activity_gates.sql' with { type: 'text' }
import sqlite0074 from './sqlite/0074_overview.sql' with { type: 'text' }
import sqlite0075 from './sqlite/0075_overview_counts.sql' with { type: 'text' }
import sqlite0076 from './sqlite/0076_guest_lifecycle.sql' with { type: 'text' }
import sqlite0077 from './sqlite/0077_guest_lifecycle_indexes.sql' with { type: 'text' }
import sqlite0078 from './sqlite/0078_people.sql' with { type: 'text' }
import sqlite0079 from './sqlite/0079_invitations.sql' with { type: 'text' }
import sqlite0081 from './sqlite/0081_invitation_users.sql' with { type: 'text' }
import sqlite0082 from './sqlite/0082_participant_facets.sql' with { type: 'text' }
import sqlite0083 from './sqlite/0083_labels.sql' with { type: 'text' }
import sqlite0084 from './sqlite/0084_org_roles.sql' with { type: 'text' }
import sqlite0085 from './sqlite/0085_asset_imports.sql' with { type: 'text' }
import sqlite0086 from './sqlite/0086_maintenance.sql' with { type: 'text' }
import sqlite0092 from './sqlite/0092_participant_facets_counts.sql' with { type: 'text' }
import sqlite0093 from './sqlite/0093_labels_indexes.sql' with { type: 'text' }
import sqlite0096 from './sqlite/0096_maintenance_indexes.sql' with { type: 'text' }
import sqlite0098 from './sqlite/0098_participant_facets_indexes.sql' with { type: 'text' }
import sqlite0100 from './sqlite/0100_supplies.sql' with { type: 'text' }
import sqlite0101 from './sqlite/0101_reservations.sql' with { type: 'text' }
import sqlite0102 from './sqlite/0102_import_mappings.sql' with { type: 'text' }
import sqlite0103 from './sqlite/0103_asset_digests.sql' with { type: 'text' }
import sqlite0104 from './sqlite/0104_supply_imports.sql' with { type: 'text' }
import sqlite0106 from './sqlite/0106_reservations_indexes.sql' with { type: 'text' }
import sqlite0107 from './sqlite/0107_reservation_times.sql' with { type: 'text' }
import sqlite0108 from './sqlite/0108_asset_digests_indexes.sql' with { type: 'text' }
import sqlite0110 from './sqlite/0110_participant_names.sql' with { type: 'text' }
import sqlite0111 from './sqlite/0111_participant_names_indexes.sql' with { type: 'text' }
import sqlite0112 from './sqlite/0112_import_kinds.sql' with { type: 'text' }
import sqlite0113 from './sqlite/0113_supply_due_times.sql' with { type: 'text' }
import sqlite0120 from './sqlite/0120_passkeys.sql' with { type: 'text' }
import sqlite0123 from './sqlite/0123_sign_in_providers.sql' with { type: 'text' }
import sqlite0124 from './sqlite/0124_sign_in_providers_indexes.sql' with { type: 'text' }
import sqlite0126 from './sqlite/0126_api_keys.sql' with { type: 'text' }
import sqlite0128 from './sqlite/0128_webhooks.sql' with { type: 'text' }
import sqlite0130 from './sqlite/0130_people.sql' with { type: 'text' }
import sqlite0131 from './sqlite/0131_people_indexes.sql' with { type: 'text' }
import sqlite0132 from './sqlite/0132_invitation_addresses.sql' with { type: 'text' }
import sqlite0133 from './sqlite/0133_data_exports.sql' with { type: 'text' }
import sqlite0140 from './sqlite/0140_chat_edits.sql' with { type: 'text' }
import sqlite0141 from './sqlite/0141_chat_deletions.sql' with { type: 'text' }
import sqlite0142 from './sqlite/0142_chat_reports.sql' with { type: 'text' }
import sqlite0143 from './sqlite/0143_chat_mention_all.sql' with { type: 'text' }
import sqlite0150 from './sqlite/0150_pins.sql' with { type: 'text' }
import sqlite0151 from './sqlite/0151_pins_indexes.sql' with { type: 'text' }
import sqlite0152 from './sqlite/0152_group_read_marks.sql' with { type: 'text' }
import sqlite0153 from './sqlite/0153_presence.sql' with { type: 'text' }
import sqlite0154 from './sqlite/0154_chat_drafts.sql' with { type: 'text' }
import sqlite0156 from './sqlite/0156_voice_lengths.sql' with { type: 'text' }
import sqlite0158 from './sqlite/0158_availability.sql' with { type: 'text' }
import sqlite0162 from './sqlite/0162_availability_indexes.sql' with { type: 'text' }
import sqlite0164 from './sqlite/0164_import_parts.sql' with { type: 'text' }
import sqlite0165 from './sqlite/0165_webhook_outbox.sql' with { type: 'text' }
import postgres0001 from './postgres/0001_foundation.sql' with { type: 'text' }
import postgres0002 from './postgres/0002_orgs.sql' with { type: 'text' }
import postgres0003 from './postgres/0003_delivery.sql' with { type: 'text' }
import postgres0004 from './postgres/0004_accounts_complete.sql' with { type: 'text' }
import postgres0005 from './postgres/0005_notifications.sql' with { type: 'text' }
import postgres0006 from './postgres/0006_locations_shares.sql' with { type: 'text' }
import postgres0007 from './postgres/0007_code_orders.sql' with { type: 'text' }
import postgres0008 from './postgres/0008_transfers_subjects.sql' with { type: 'text' }
import postgres0009 from './postgres/0009_operation_log_known_devices.sql' with { type: 'text' }
import postgres0010 from './postgres/0010_notices_nicknames.sql' with { type: 'text' }
import postgres0011 from './postgres/0011_credentials.sql' with { type: 'text' }
import postgres0012 from './postgres/0012_scanned_codes.sql' with { type: 'text' }
import postgres0013 from './postgres/0013_organization_discovery.sql' with { type: 'text' }
import postgres0014 from './postgres/0014_totp.sql' with { type: 'text' }
import postgres0015 from './postgres/0015_files.sql' with { type: 'text' }
import postgres0016 from './postgres/0016_agreements.sql' with { type: 'text' }
import postgres0017 from './postgres/0017_app_updates.sql' with { type: 'text' }
import postgres0018 from './postgres/0018_assets_metadata.sql' with { type: 'text' }
import postgres0019 from './postgres/0019_file_counts.sql' with { type: 'text' }
import postgres0020 from './postgres/0020_activities_passes.sql' with { type: 'text' }
import postgres0021 from './postgres/0021_contacts_chat.sql' with { type: 'text' }
import postgres0022 from './postgres/0022_sync.sql' with { type: 'text' }
import postgres0023 from './postgres/0023_admin.sql' with { type: 'text' }
import postgres0024 from './postgres/0024_admin_data.sql' with { type: 'text' }
import postgres0025 from './postgres/0025_qr_code_scans.sql' with { type: 'text' }
import postgres0026 from './postgres/0026_undo_links.sql' with { type: 'text' }
import postgres0027 from './postgres/0027_second_factor_locks.sql' with { type: 'text' }
import postgres0028 from './postgres/0028_list_orders.sql' with { type: 'text' }
import postgres0029 from './postgres/0029_scan_record_counts.sql' with { type: 'text' }
import postgres0030 from './postgres/0030_repeat_keys.sql' with { type: 'text' }
import postgres0031 from './postgres/0031_dropped_references.sql' with { type: 'text' }
import postgres0032 from './postgres/0032_limits_and_processes.sql' with { type: 'text' }
import postgres0033 from './postgres/0033_list_totals.sql' with { type: 'text' }
import postgres0034 from './postgres/0034_autovacuum.sql' with { type: 'text' }
import postgres0035 from './postgres/0035_totals_of_quotas.sql' with { type: 'text' }
import postgres0036 from './postgres/0036_removals.sql' with { type: 'text' }
import postgres0037 from './postgres/0037_certificates.sql' with { type: 'text' }
import postgres0038 from './postgres/0038_local_authority.sql' with { type: 'text' }
import postgres0039 from './postgres/0039_totals_of_accounts.sql' with { type: 'text' }
import postgres0040 from './postgres/0040_counts_of_accounts.sql' with { type: 'text' }
import postgres0041 from './postgres/0041_reach.sql' with { type: 'text' }
import postgres0042 from './postgres/0042_failed_validations.sql' with { type: 'text' }
import postgres0043 from './postgres/0043_setup_of_older_servers.sql' with { type: 'text' }
import postgres0045 from './postgres/0045_server_pictures.sql' with { type: 'text' }
import postgres0046 from './postgres/0046_qr_links.sql' with { type: 'text' }
import postgres0048 from './postgres/0048_created_by_admin.sql' with { type: 'text' }
import postgres0049 from './postgres/0049_qr_visits.sql' with { type: 'text' }
import postgres0051 from './postgres/0051_qr_designs.sql' with { type: 'text' }
import postgres0052 from './postgres/0052_qr_blanks.sql' with { type: 'text' }
import postgres0053 from './postgres/0053_found.sql' with { type: 'text' }
import postgres0054 from './postgres/0054_activity_zone.sql' with { type: 'text' }
import postgres0055 from './postgres/0055_following_passes.sql' with { type: 'text' }
import postgres0056 from './postgres/0056_undo_and_auto_issue.sql' with { type: 'text' }
import postgres0057 from './postgres/0057_activity_messages.sql' with { type: 'text' }
import postgres0058 from './postgres/0058_event_mails.sql' with { type: 'text' }
import postgres0059 from './postgres/0059_kiosks_and_series.sql' with { type: 'text' }
import postgres0060 from './postgres/0060_description_format.sql' with { type: 'text' }
import postgres0061 from './postgres/0061_guests.sql' with { type: 'text' }
import postgres0062 from './postgres/0062_guests_indexes.sql' with { type: 'text' }
import postgres0063 from './postgres/0063_guests_contract.sql' with { type: 'text' }
import postgres0070 from './postgres/0070_check_in_lists.sql' with { type: 'text' }
import postgres0071 from './postgres/0071_check_in_lists_indexes.sql' with { type: 'text' }
import postgres0073 from './postgres/0073_activity_gates.sql' with { type: 'text' }
import postgres0074 from './postgres/0074_overview.sql' with { type: 'text' }
import postgres0075 from './postgres/0075_overview_counts.sql' with { type: 'text' }
import postgres0076 from './postgres/0076_guest_lifecycle.sql' with { type: 'text' }
import postgres0077 from './postgres/0077_guest_lifecycle_indexes.sql' with { type: 'text' }
import postgres0078 from './postgres/0078_people.sql' with { type: 'text' }
import postgres0079 from './postgres/0079_invitations.sql' with { type: 'text' }
import postgres0081 from './postgres/0081_invitation_users.sql' with { type: 'text' }
import postgres0082 from './postgres/0082_participant_facets.sql' with { type: 'text' }
import postgres0083 from './postgres/0083_labels.sql' with { type: 'text' }
import postgres0084 from './postgres/0084_org_roles.sql' with { type: 'text' }
import postgres0085 from './postgres/0085_asset_imports.sql' with { type: 'text' }
import postgres0086 from './postgres/0086_maintenance.sql' with { type: 'text' }
import postgres0092 from './postgres/0092_participant_facets_counts.sql' with { type: 'text' }
import postgres0093 from './postgres/0093_labels_indexes.sql' with { type: 'text' }
import postgres0096 from './postgres/0096_maintenance_indexes.sql' with { type: 'text' }
import postgres0098 from './postgres/0098_participant_facets_indexes.sql' with { type: 'text' }
import postgres0100 from './postgres/0100_supplies.sql' with { type: 'text' }
import postgres0101 from './postgres/0101_reservations.sql' with { type: 'text' }
import postgres0102 from './postgres/0102_import_mappings.sql' with { type: 'text' }
import postgres0103 from './postgres/0103_asset_digests.sql' with { type: 'text' }
import postgres0104 from './postgres/0104_supply_imports.sql' with { type: 'text' }
import postgres0106 from './postgres/0106_reservations_indexes.sql' with { type: 'text' }
import postgres0107 from './postgres/0107_reservation_times.sql' with { type: 'text' }
import postgres0108 from './postgres/0108_asset_digests_indexes.sql' with { type: 'text' }
import postgres0110 from './postgres/0110_participant_names.sql' with { type: 'text' }
import postgres0111 from './postgres/0111_participant_names_indexes.sql' with { type: 'text' }
import postgres0112 from './postgres/0112_import_kinds.sql' with { type: 'text' }
import postgres0113 from './postgres/0113_supply_due_times.sql' with { type: 'text' }
import postgres0120 from './postgres/0120_passkeys.sql' with { type: 'text' }
import postgres0123 from './postgres/0123_sign_in_providers.sql' with { type: 'text' }
import postgres0124 from './postgres/0124_sign_in_providers_indexes.sql' with { type: 'text' }
import postgres0126 from './postgres/0126_api_keys.sql' with { type: 'text' }
import postgres0128 from './postgres/0128_webhooks.sql' with { type: 'text' }
import postgres0130 from './postgres/0130_people.sql' with { type: 'text' }
import postgres0131 from './postgres/0131_people_indexes.sql' with { type: 'text' }
import postgres0132 from './postgres/0132_invitation_addresses.sql' with { type: 'text' }
import postgres0133 from './postgres/0133_data_exports.sql' with { type: 'text' }
import postgres0140 from './postgres/0140_chat_edits.sql' with { type: 'text' }
import postgres0141 from './postgres/0141_chat_deletions.sql' with { type: 'text' }
import postgres0142 from './postgres/0142_chat_reports.sql' with { type: 'text' }
import postgres0143 from './postgres/0143_chat_mention_all.sql' with { type: 'text' }
import postgres0150 from './postgres/0150_pins.sql' with { type: 'text' }
import postgres0151 from './postgres/0151_pins_indexes.sql' with { type: 'text' }
import postgres0152 from './postgres/0152_group_read_marks.sql' with { type: 'text' }
import postgres0153 from './postgres/0153_presence.sql' with { type: 'text' }
import postgres0154 from './postgres/0154_chat_drafts.sql' with { type: 'text' }
import postgres0156 from './postgres/0156_voice_lengths.sql' with { type: 'text' }
import postgres0158 from './postgres/0158_availability.sql' with { type: 'text' }
import postgres0162 from './postgres/0162_availability_indexes.sql' with { type: 'text' }
import postgres0164 from './postgres/0164_import_parts.sql' with { type: 'text' }
import postgres0165 from './postgres/0165_webhook_outbox.sql' with { type: 'text' }

export interface Migration {
  readonly name: string
  readonly sql: string
}

export const migrations: Readonly<Record<'sqlite' | 'postgres', readonly Migration[]>> = {
  sqlite: [
    { name: '0001_foundation', sql: sqlite0001 },
    { name: '0002_orgs', sql: sqlite0002 },
    { name: '0003_delivery', sql: sqlite0003 },
    { name: '0004_accounts_complete', sql: sqlite0004 },
    { name: '0005_notifications', sql: sqlite0005 },
    { name: '0006_locations_shares', sql: sqlite0006 },
    { name: '0007_code_orders', sql: sqlite0007 },
    { name: '0008_transfers_subjects', sql: sqlite0008 },
    { name: '0009_operation_log_known_devices', sql: sqlite0009 },
    { name: '0010_notices_nicknames', sql: sqlite0010 },
    { name: '0011_credentials', sql: sqlite0011 },
    { name: '0012_scanned_codes', sql: sqlite0012 },
    { name: '0013_organization_discovery', sql: sqlite0013 },
    { name: '0014_totp', sql: sqlite0014 },
    { name: '0015_files', sql: sqlite0015 },
    { name: '0016_agreements', sql: sqlite0016 },
    { name: '0017_app_updates', sql: sqlite0017 },
    { name: '0018_assets_metadata', sql: sqlite0018 },
    { name: '0019_file_counts', sql: sqlite0019 },
    { name: '0020_activities_passes', sql: sqlite0020 },
    { name: '0021_contacts_chat', sql: sqlite0021 },
    { name: '0022_sync', sql: sqlite0022 },
    { name: '0023_admin', sql: sqlite0023 },
    { name: '0024_admin_data', sql: sqlite0024 },
    { name: '0025_qr_code_scans', sql: sqlite0025 },
    { name: '0026_undo_links', sql: sqlite0026 },
    { name: '0027_second_factor_locks', sql: sqlite0027 },
    { name: '0028_list_orders', sql: sqlite0028 },
    { name: '0029_scan_record_counts', sql: sqlite0029 },
    { name: '0030_repeat_keys', sql: sqlite0030 },
    { name: '0031_dropped_references', sql: sqlite0031 },
    { name: '0032_limits_and_processes', sql: sqlite0032 },
    { name: '0033_list_totals', sql: sqlite0033 },
    { name: '0034_autovacuum', sql: sqlite0034 },
    { name: '0035_totals_of_quotas', sql: sqlite0035 },
    { name: '0036_removals', sql: sqlite0036 },
    { name: '0037_certificates', sql: sqlite0037 },
    { name: '0038_local_authority', sql: sqlite0038 },
    { name: '0039_totals_of_accounts', sql: sqlite0039 },
    { name: '0040_counts_of_accounts', sql: sqlite0040 },
    { name: '0041_reach', sql: sqlite0041 },
    { name: '0042_failed_validations', sql: sqlite0042 },
    { name: '0043_setup_of_older_servers', sql: sqlite0043 },
    { name: '0045_server_pictures', sql: sqlite0045 },
    { name: '0046_qr_links', sql: sqlite0046 },
    { name: '0048_created_by_admin', sql: sqlite0048 },
    { name: '0049_qr_visits', sql: sqlite0049 },
    { name: '0051_qr_designs', sql: sqlite0051 },
    { name: '0052_qr_blanks', sql: sqlite0052 },
    { name: '0053_found', sql: sqlite0053 },
    { name: '0054_activity_zone', sql: sqlite0054 },
    { name: '0055_following_passes', sql: sqlite0055 },
    { name: '0056_undo_and_auto_issue', sql: sqlite0056 },
    { name: '0057_activity_messages', sql: sqlite0057 },
    { name: '0058_event_mails', sql: sqlite0058 },
    { name: '0059_kiosks_and_series', sql: sqlite0059 },
    { name: '0060_description_format', sql: sqlite0060 },
    { name: '0061_guests', sql: sqlite0061 },
    { name: '0062_guests_indexes', sql: sqlite0062 },
    { name: '0063_guests_contract', sql: sqlite0063 },
    { name: '0070_check_in_lists', sql: sqlite0070 },
    { name: '0071_check_in_lists_indexes', sql: sqlite0071 },
    { name: '0073_activity_gates', sql: sqlite0073 },
    { name: '0074_overview', sql: sqlite0074 },
    { name: '0075_overview_counts', sql: sqlite0075 },
    { name: '0076_guest_lifecycle', sql: sqlite0076 },
    { name: '0077_guest_lifecycle_indexes', sql: sqlite0077 },
    { name: '0078_people', sql: sqlite0078 },
    { name: '0079_invitations', sql: sqlite0079 },
    { name: '0081_invitation_users', sql: sqlite0081 },
    { name: '0082_participant_facets', sql: sqlite0082 },
    { name: '0083_labels', sql: sqlite0083 },
    { name: '0084_org_roles', sql: sqlite0084 },
    { name: '0085_asset_imports', sql: sqlite0085 },
    { name: '0086_maintenance', sql: sqlite0086 },
    { name: '0092_participant_facets_counts', sql: sqlite0092 },
    { name: '0093_labels_indexes', sql: sqlite0093 },
    { name: '0096_maintenance_indexes', sql: sqlite0096 },
    { name: '0098_participant_facets_indexes', sql: sqlite0098 },
    { name: '0100_supplies', sql: sqlite0100 },
    { name: '0101_reservations', sql: sqlite0101 },
    { name: '0102_import_mappings', sql: sqlite0102 },
    { name: '0103_asset_digests', sql: sqlite0103 },
    { name: '0104_supply_imports', sql: sqlite0104 },
    { name: '0106_reservations_indexes', sql: sqlite0106 },
    { name: '0107_reservation_times', sql: sqlite0107 },
    { name: '0108_asset_digests_indexes', sql: sqlite0108 },
    { name: '0110_participant_names', sql: sqlite0110 },
    { name: '0111_participant_names_indexes', sql: sqlite0111 },
    { name: '0112_import_kinds', sql: sqlite0112 },
    { name: '0113_supply_due_times', sql: sqlite0113 },
    { name: '0120_passkeys', sql: sqlite0120 },
    { name: '0123_sign_in_providers', sql: sqlite0123 },
    { name: '0124_sign_in_providers_indexes', sql: sqlite0124 },
    { name: '0126_api_keys', sql: sqlite0126 },
    { name: '0128_webhooks', sql: sqlite0128 },
    { name: '0130_people', sql: sqlite0130 },
    { name: '0131_people_indexes', sql: sqlite0131 },
    { name: '0132_invitation_addresses', sql: sqlite0132 },
    { name: '0133_data_exports', sql: sqlite0133 },
    { name: '0140_chat_edits', sql: sqlite0140 },
    { name: '0141_chat_deletions', sql: sqlite0141 },
    { name: '0142_chat_reports', sql: sqlite0142 },
    { name: '0143_chat_mention_all', sql: sqlite0143 },
    { name: '0150_pins', sql: sqlite0150 },
    { name: '0151_pins_indexes', sql: sqlite0151 },
    { name: '0152_group_read_marks', sql: sqlite0152 },
    { name: '0153_presence', sql: sqlite0153 },
    { name: '0154_chat_drafts', sql: sqlite0154 },
    { name: '0156_voice_lengths', sql: sqlite0156 },
    { name: '0158_availability', sql: sqlite0158 },
    { name: '0162_availability_indexes', sql: sqlite0162 },
    { name: '0164_import_parts', sql: sqlite0164 },
    { name: '0165_webhook_outbox', sql: sqlite0165 },
  ],
  postgres: [
    { name: '0001_foundation', sql: postgres0001 },
    { name: '0002_orgs', sql: postgres0002 },
    { name: '0003_delivery', sql: postgres0003 },
    { name: '0004_accounts_complete', sql: postgres0004 },
    { name: '0005_notifications', sql: postgres0005 },
    { name: '0006_locations_shares', sql: postgres0006 },
    { name: '0007_code_orders', sql: postgres0007 },
    { name: '0008_transfers_subjects', sql: postgres0008 },
    { name: '0009_operation_log_known_devices', sql: postgres0009 },
    { name: '0010_notices_nicknames', sql: postgres0010 },
    { name: '0011_credentials', sql: postgres0011 },
    { name: '0012_scanned_codes', sql: postgres0012 },
    { name: '0013_organization_discovery', sql: postgres0013 },
    { name: '0014_totp', sql: postgres0014 },
    { name: '0015_files', sql: postgres0015 },
    { name: '0016_agreements', sql: postgres0016 },
    { name: '0017_app_updates', sql: postgres0017 },
    { name: '0018_assets_metadata', sql: postgres0018 },
    { name: '0019_file_counts', sql: postgres0019 },
    { name: '0020_activities_passes', sql: postgres0020 },
    { name: '0021_contacts_chat', sql: postgres0021 },
    { name: '0022_sync', sql: postgres0022 },
    { name: '0023_admin', sql: postgres0023 },
    { name: '0024_admin_data', sql: postgres0024 },
    { name: '0025_qr_code_scans', sql: postgres0025 },
    { name: '0026_undo_links', sql: postgres0026 },
    { name: '0027_second_factor_locks', sql: postgres0027 },
    { name: '0028_list_orders', sql: postgres0028 },
    { name: '0029_scan_record_counts', sql: postgres0029 },
    { name: '0030_repeat_keys', sql: postgres0030 },
    { name: '0031_dropped_references', sql: postgres0031 },
    { name: '0032_limits_and_processes', sql: postgres0032 },
    { name: '0033_list_totals', sql: postgres0033 },
    { name: '0034_autovacuum', sql: postgres0034 },
    { name: '0035_totals_of_quotas', sql: postgres0035 },
    { name: '0036_removals', sql: postgres0036 },
    { name: '0037_certificates', sql: postgres0037 },
    { name: '0038_local_authority', sql: postgres0038 },
    { name: '0039_totals_of_accounts', sql: postgres0039 },
    { name: '0040_counts_of_accounts', sql: postgres0040 },
    { name: '0041_reach', sql: postgres0041 },
    { name: '0042_failed_validations', sql: postgres0042 },
    { name: '0043_setup_of_older_servers', sql: postgres0043 },
    { name: '0045_server_pictures', sql: postgres0045 },
    { name: '0046_qr_links', sql: postgres0046 },
    { name: '0048_created_by_admin', sql: postgres0048 },
    { name: '0049_qr_visits', sql: postgres0049 },
    { name: '0051_qr_designs', sql: postgres0051 },
    { name: '0052_qr_blanks', sql: postgres0052 },
    { name: '0053_found', sql: postgres0053 },
    { name: '0054_activity_zone', sql: postgres0054 },
    { name: '0055_following_passes', sql: postgres0055 },
    { name: '0056_undo_and_auto_issue', sql: postgres0056 },
    { name: '0057_activity_messages', sql: postgres0057 },
    { name: '0058_event_mails', sql: postgres0058 },
    { name: '0059_kiosks_and_series', sql: postgres0059 },
    { name: '0060_description_format', sql: postgres0060 },
    { name: '0061_guests', sql: postgres0061 },
    { name: '0062_guests_indexes', sql: postgres0062 },
    { name: '0063_guests_contract', sql: postgres0063 },
    { name: '0070_check_in_lists', sql: postgres0070 },
    { name: '0071_check_in_lists_indexes', sql: postgres0071 },
    { name: '0073_activity_gates', sql: postgres0073 },
    { name: '0074_overview', sql: postgres0074 },
    { name: '0075_overview_counts', sql: postgres0075 },
    { name: '0076_guest_lifecycle', sql: postgres0076 },
    { name: '0077_guest_lifecycle_indexes', sql: postgres0077 },
    { name: '0078_people', sql: postgres0078 },
    { name: '0079_invitations', sql: postgres0079 },
    { name: '0081_invitation_users', sql: postgres0081 },
    { name: '0082_participant_facets', sql: postgres0082 },
    { name: '0083_labels', sql: postgres0083 },
    { name: '0084_org_roles', sql: postgres0084 },
    { name: '0085_asset_imports', sql: postgres0085 },
    { name: '0086_maintenance', sql: postgres0086 },
    { name: '0092_participant_facets_counts', sql: postgres0092 },
    { name: '0093_labels_indexes', sql: postgres0093 },
    { name: '0096_maintenance_indexes', sql: postgres0096 },
    { name: '0098_participant_facets_indexes', sql: postgres0098 },
    { name: '0100_supplies', sql: postgres0100 },
    { name: '0101_reservations', sql: postgres0101 },
    { name: '0102_import_mappings', sql: postgres0102 },
    { name: '0103_asset_digests', sql: postgres0103 },
    { name: '0104_supply_imports', sql: postgres0104 },
    { name: '0106_reservations_indexes', sql: postgres0106 },
    { name: '0107_reservation_times', sql: postgres0107 },
    { name: '0108_asset_digests_indexes', sql: postgres0108 },
    { name: '0110_participant_names', sql: postgres0110 },
    { name: '0111_participant_names_indexes', sql: postgres0111 },
    { name: '0112_import_kinds', sql: postgres0112 },
    { name: '0113_supply_due_times', sql: postgres0113 },
    { name: '0120_passkeys', sql: postgres0120 },
    { name: '0123_sign_in_providers', sql: postgres0123 },
    { name: '0124_sign_in_providers_indexes', sql: postgres0124 },
    { name: '0126_api_keys', sql: postgres0126 },
    { name: '0128_webhooks', sql: postgres0128 },
    { name: '0130_people', sql: postgres0130 },
    { name: '0131_people_indexes', sql: postgres0131 },
    { name: '0132_invitation_addresses', sql: postgres0132 },
    { name: '0133_data_exports', sql: postgres0133 },
    { name: '0140_chat_edits', sql: postgres0140 },
    { name: '0141_chat_deletions', sql: postgres0141 },
    { name: '0142_chat_reports', sql: postgres0142 },
    { name: '0143_chat_mention_all', sql: postgres0143 },
    { name: '0150_pins', sql: postgres0150 },
    { name: '0151_pins_indexes', sql: postgres0151 },
    { name: '0152_group_read_marks', sql: postgres0152 },
    { name: '0153_presence', sql: postgres0153 },
    { name: '0154_chat_drafts', sql: postgres0154 },
    { name: '0156_voice_lengths', sql: postgres0156 },
    { name: '0158_availability', sql: postgres0158 },
    { name: '0162_availability_indexes', sql: postgres0162 },
    { name: '0164_import_parts', sql: postgres0164 },
    { name: '0165_webhook_outbox', sql: postgres0165 },
  ],
}
