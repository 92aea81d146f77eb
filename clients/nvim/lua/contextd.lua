--- contextd for Neovim 0.7 and later: starts `contextd lsp` and asks it for the context of a buffer.
--- Set up:  require('contextd').setup()            -- or { cmd = {...}, filetypes = {...}, root = function(path) ... end }
--- Then:    :ContextdContext [question]   :ContextdExplain   :ContextdSearch words
local versions = require('contextd.versions')
local M = {}

local settings = {
  cmd = { 'contextd', 'lsp' },
  --- nil: all buffers of files.
  filetypes = nil,
  root = function(path)
    local own = vim.fn.fnamemodify(path, ':h')
    local directory = own
    while not vim.loop.fs_stat(directory .. '/.git') do
      local above = vim.fn.fnamemodify(directory, ':h')
      if above == directory then return own end
      directory = above
    end
    return directory
  end,
}
--- Ids of clients by root.
local clients = {}

local handlers = {
  --- `:autocmd User ContextdChanged` runs when context has changed.
  ['contextd/changed'] = function()
    vim.schedule(function() versions.update_lenses(clients, vim.api.nvim_get_current_buf()) end)
    vim.cmd('doautocmd <nomodeline> User ContextdChanged')
  end,
}

local function attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  -- What a plugin shows at an address is no file.
  if path == '' or path:match('^%a[%w+.-]*://') then return end
  if vim.bo[buffer].buftype ~= '' then return end
  if settings.filetypes and not vim.tbl_contains(settings.filetypes, vim.bo[buffer].filetype) then return end
  local root = settings.root(vim.fn.fnamemodify(path, ':p'))
  local client = clients[root] and vim.lsp.get_client_by_id(clients[root])
  if not client or versions.call(client, 'is_stopped') then
    clients[root] = versions.start({
      name = 'contextd',
      cmd = settings.cmd,
      root_dir = root,
      handlers = handlers,
      on_attach = versions.show_lenses,
      -- What was typed in other buffers is known when this one is asked about.
      flags = { debounce_text_changes = 0 },
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    }, buffer)
  end
  if clients[root] then vim.lsp.buf_attach_client(buffer, clients[root]) end
end

--- The client of a buffer, which is attached now if it was not.
local function client_of(buffer)
  attach(buffer)
  local root = settings.root(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p'))
  return clients[root] and vim.lsp.get_client_by_id(clients[root])
end

--- What is asked before the server knows the buffers would be answered as if nothing was typed in them.
local function when_ready(client, go)
  if client.initialized or versions.call(client, 'is_stopped') then return go() end
  vim.defer_fn(function() when_ready(client, go) end, 20)
end

--- Asks about the current buffer. `params` are those of the request; `done(problem, answer)` is called later.
function M.request(method, params, done)
  local buffer = vim.api.nvim_get_current_buf()
  local client = client_of(buffer)
  if not client then return done('contextd: this buffer has no file, or "contextd lsp" cannot be started') end
  local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local all = vim.tbl_extend('keep', params or {}, place)
  when_ready(client, function()
    local sent = versions.call(client, 'request', 'contextd/' .. method, all, function(problem, answer)
      done(problem and ('contextd: ' .. problem.message) or nil, answer)
    end, buffer)
    if not sent then done('contextd: the language server has ended; :messages may say why') end
  end)
end

local function ask_context(question, done)
  M.request('context', { render = 'markdown', query = question ~= '' and question or nil }, done)
end

--- The context of the current buffer as text: `done(problem, text)`.
function M.context(question, done)
  ask_context(question, function(problem, answer) done(problem, answer and answer.text) end)
end

local function show(name, lines, filetype)
  vim.cmd('new')
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
  vim.bo.filetype = filetype or ''
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.api.nvim_buf_set_name(0, 'contextd://' .. name .. '/' .. vim.api.nvim_get_current_buf())
end

local function warn(warnings)
  local first = warnings and warnings[1]
  if not first then return end
  local place = first.path and first.path .. ': ' or ''
  local more = #warnings > 1 and string.format(' (first of %d warnings)', #warnings) or ''
  vim.notify('contextd: ' .. place .. first.message .. more, vim.log.levels.WARN)
end

local function shown(name, render, filetype)
  return function(problem, answer)
    vim.schedule(function()
      if problem then return vim.notify(problem, vim.log.levels.ERROR) end
      show(name, render(answer), filetype)
      warn(answer.warnings)
    end)
  end
end

--- A line for each item, in which all characters are visible.
local function rows(items, row)
  return vim.tbl_map(function(each)
    return (row(each):gsub('%c', function(sign) return string.format('\\u{%x}', sign:byte()) end))
  end, items)
end

local function explained(answer)
  return rows(answer.candidates, function(each)
    return string.format('%-9s %s  %s %s', each.verdict, each.path, each.reason.code, each.reason.detail or '')
  end)
end

local function found(answer)
  return rows(answer.results, function(each) return string.format('%.2f  %s  %s', each.score, each.name, each.path or '') end)
end

function M.setup(options)
  settings = vim.tbl_extend('force', settings, options or {})
  local group = vim.api.nvim_create_augroup('contextd', { clear = true })
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufWritePost' }, {
    group = group,
    callback = function(event) attach(event.buf) end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then attach(buffer) end
  end
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    callback = function(event) versions.update_lenses(clients, event.buf) end,
  })
  vim.api.nvim_create_user_command('ContextdContext', function(command)
    local lines = function(answer) return vim.split(answer.text, '\n') end
    ask_context(command.args, shown('context', lines, 'markdown'))
  end, { nargs = '*' })
  vim.api.nvim_create_user_command('ContextdExplain', function() M.request('explain', {}, shown('explain', explained)) end, {})
  vim.api.nvim_create_user_command('ContextdSearch', function(command)
    M.request('search', { query = command.args }, shown('search', found))
  end, { nargs = '+' })
end

return M
