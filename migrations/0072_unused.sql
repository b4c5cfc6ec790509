-- What only servers of earlier releases wrote and called.
DROP TABLE schedules;
DROP TABLE processes;
DROP FUNCTION
    pippin_purge_app_transfers, pippin_purge_deletion_receipts, pippin_purge_jobs, pippin_purge_limits,
    pippin_purge_mailed_links, pippin_purge_native_handovers, pippin_purge_notices,
    pippin_purge_provider_announcements, pippin_purge_provider_notices, pippin_purge_provider_partings,
    pippin_purge_provider_tokens, pippin_purge_provider_trips, pippin_purge_sessions, pippin_purge_token_cutoffs,
    pippin_purge_transferred_people, pippin_purge_trials;

ALTER TABLE sessions VALIDATE CONSTRAINT sessions_first_factor_check;
