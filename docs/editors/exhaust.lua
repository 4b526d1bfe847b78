-- SPDX-License-Identifier: MIT
--
-- Exhaust in Neovim 0.7 or newer. In init.lua:
--
--   dofile('/path/to/exhaust/docs/editors/exhaust.lua')
--
-- vim.g.exhaust_exhc is the command that answers, a list of words; { 'exhc', 'lsp' } where it is not set.
local languages = { exh = 'exh', kernel = 'exhaust-kernel', fun = 'exhaust-fun' }
local group = vim.api.nvim_create_augroup('exhaust', {})
local client

for suffix, language in pairs(languages) do
  vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
    group = group,
    pattern = '*.' .. suffix,
    callback = function() vim.bo.filetype = language end,
  })
end

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = vim.tbl_values(languages),
  callback = function(event)
    vim.bo.commentstring = '// %s'
    client = client or vim.lsp.start_client({
      name = 'exhaust',
      cmd = vim.g.exhaust_exhc or { 'exhc', 'lsp' },
      on_exit = function() client = nil end,
    })
    if client then vim.lsp.buf_attach_client(event.buf, client) end
  end,
})
