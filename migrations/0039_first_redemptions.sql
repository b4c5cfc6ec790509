-- The first time is the row itself; when it was is told by the audit event.
ALTER TABLE redeeming_clients DROP COLUMN first_redeemed_at;
