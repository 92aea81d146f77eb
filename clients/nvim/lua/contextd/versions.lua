--- What differs between versions of Neovim, from 0.7 on.
local M = {}

--- A function of a client. It takes the client itself from 0.11 on.
function M.call(client, name, ...)
  if vim.fn.has('nvim-0.11') == 1 then return client[name](client, ...) end
  return client[name](...)
end

--- The id of a new client.
function M.start(config, buffer)
  if not vim.lsp.start then return vim.lsp.start_client(config) end
  return vim.lsp.start(config, { bufnr = buffer, reuse_client = function() return false end })
end

--- From 0.12 on, Neovim keeps lenses up to date once they are enabled.
local has_own_lenses = vim.fn.has('nvim-0.12') == 1

--- Shows the lenses of this client, not those of others.
function M.show_lenses(client, buffer)
  if has_own_lenses then return vim.lsp.codelens.enable(true, { client_id = client.id }) end
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) } }
  M.call(client, 'request', 'textDocument/codeLens', params, vim.lsp.codelens.on_codelens, buffer)
end

--- Shows again the lenses of those of the clients that the buffer is attached to.
function M.update_lenses(ids, buffer)
  for _, id in pairs(has_own_lenses and {} or ids) do
    local client = vim.lsp.get_client_by_id(id)
    if client and client.initialized and vim.lsp.buf_is_attached(buffer, id) then M.show_lenses(client, buffer) end
  end
end

return M
