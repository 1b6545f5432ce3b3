UPDATE users SET last_login_at = (
  SELECT max(created_at) FROM login_records WHERE login_records.user_id = users.id AND login_records.status = 'success'
);
