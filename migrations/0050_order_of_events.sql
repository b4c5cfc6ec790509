-- What tells an older fact from a newer one, where they come in another order than they happened.

ALTER TABLE provider_identities
    -- The group of apps that the person came to last by way of the provider, and when; NULL until they come again.
    ADD COLUMN came_to text COLLATE "C",
    ADD COLUMN came_at timestamptz;

ALTER TABLE provider_tokens
    -- What the provider calls the person: somebody may have parted from one account there and connected another one. NULL
    -- in rows from before this column.
    ADD COLUMN identifier text COLLATE "C",
    -- When the provider was asked last to revoke it; NULL again where it said that it did not.
    ADD COLUMN called_at timestamptz;

-- When that happened of which the provider told last whether it passes mail on.
ALTER TABLE consents ADD COLUMN forwards_mail_at timestamptz;
