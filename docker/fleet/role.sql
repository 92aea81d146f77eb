-- The role of the sidecars. It is no superuser: row-level security, which separates tenants, does not bind superusers.
\set password `cat /run/secrets/password`
CREATE ROLE contextd LOGIN PASSWORD :'password';
CREATE DATABASE contextd OWNER contextd;
