vim9script
# Shows which context contextd would give a model for the file that you edit. Text that is not saved counts. For Vim 9.
#   :ContextdContext [question]    in a window that follows what changes
#   :ContextdContext! [question]   the same, and lets contextd read the project where it may not yet
#
# The project is the nearest directory above the file that has a .git, else the current directory. g:contextd_fields has more
# fields of POST /v1/context, such as {budget: {maxTokens: 4000}}. The command contextd must be on the path: it finds the daemon.

if exists('g:loaded_contextd') | finish | endif
g:loaded_contextd = 1

command! -bang -nargs=* ContextdContext Open(<bang>false, <q-args>)

# What the window shows the context of.
var subject = {buffer: 0, question: '', is_new: true}
var view = -1
var follower = null_job
var last_id = ''

def Open(grant: bool, question: string)
  subject = {buffer: bufnr() == view ? subject.buffer : bufnr(), question: question, is_new: true}
  Update(grant)
enddef

def Update(grant: bool)
  const root = Root()
  final request = {mountedDirectory: root, documents: Documents(root), query: subject.question, render: 'markdown'}
  extend(request, get(g:, 'contextd_fields', {}))
  Ask('/v1/context', request, (answer) => {
    if grant && get(answer, 'code', '') == 'path_outside_roots'
      Ask('/v1/roots', {path: root}, (_) => Ask('/v1/context', request, Show))
    else
      Show(answer)
    endif
  })
enddef

def Show(answer: dict<any>)
  if has_key(answer, 'code')
    const detail = get(answer, 'detail', answer.title)
    # The detail can be the message of the only mistake.
    const places = mapnew(get(answer, 'errors', []), (_, error) =>
      error.pointer .. (error.message ==# detail ? '' : ': ' .. error.message))
    Complain(join([detail] + places))
    return
  endif
  if !bufexists(view)
    view = bufadd('[contextd]')
    setbufvar(view, '&buftype', 'nofile')
    bufload(view)  # now, because a project can have a file of this name
    setbufvar(view, '&filetype', 'markdown')
  endif
  # A window that was closed while contextd was asked stays closed.
  if bufwinid(view) < 0 && subject.is_new
    execute 'vertical botright sbuffer' view
    wincmd p
  endif
  if subject.is_new | Warn(get(answer, 'warnings', [])) | endif
  subject.is_new = false
  silent deletebufline(view, 1, '$')
  setbufline(view, 1, split(answer.text, "\n"))
  Follow()
enddef

# The window is up to date as long as it is open.
def Follow()
  if bufwinid(view) < 0 || follower != null_job && job_status(follower) == 'run'
    return
  endif
  const Refresh = (_) => bufwinid(view) < 0 ? job_stop(follower) : Update(false)
  follower = job_start(['contextd', 'api', 'GET', '/v1/events', '--header', 'Last-Event-ID: ' .. last_id], {
    out_cb: (_, line) => {
      if line =~ '^id: '
        last_id = line[4 :]
      elseif line =~ '^event: \(context-changed\|policy-changed\|resync\)'
        Refresh(0)
      endif
    },
    exit_cb: (_, _) => timer_start(1000, Refresh),
  })
enddef

def Warn(warnings: list<dict<any>>)
  if empty(warnings) | return | endif
  const more = len(warnings) > 1 ? printf(' (first of %d warnings)', len(warnings)) : ''
  Tell('WarningMsg', get(warnings[0], 'path', 'warning') .. ': ' .. warnings[0].message .. more)
enddef

def Complain(text: string)
  Tell('ErrorMsg', substitute(text, '^contextd: ', '', ''))
enddef

def Tell(highlight: string, text: string)
  execute 'echohl' highlight
  echomsg 'contextd: ' .. text
  echohl None
enddef

def Root(): string
  var directory = fnamemodify(bufname(subject.buffer), ':p:h')
  while getftype(directory .. '/.git') == '' && directory != fnamemodify(directory, ':h')
    directory = fnamemodify(directory, ':h')
  endwhile
  return directory =~ '^/.' ? directory : getcwd()
enddef

# The buffer that is meant, and all others of the project that are not saved.
def Documents(root: string): list<dict<any>>
  final documents: list<dict<any>> = []
  for info in getbufinfo({bufloaded: true})
    const path = fnamemodify(info.name, ':p')
    const is_active = info.bufnr == subject.buffer
    const is_file = info.name != '' && getbufvar(info.bufnr, '&buftype') == ''
    if is_file && (is_active || info.changed) && stridx(path, root .. '/') == 0
      const text = join(getbufline(info.bufnr, 1, '$'), "\n") .. "\n"
      add(documents, {path: path, content: text, cursor: Cursor(info), isActive: is_active})
    endif
  endfor
  return documents
enddef

# Counted from 0, in UTF-16 code units.
def Cursor(info: dict<any>): dict<number>
  const column = getcurpos(bufwinid(info.bufnr))[2] - 1
  const before = str2list(strpart(getbufoneline(info.bufnr, info.lnum), 0, column))
  return {line: max([0, info.lnum - 1]), column: reduce(before, (sum, char) => sum + (char > 0xffff ? 2 : 1), 0)}
enddef

# One request. Answer gets what it was answered with, problems too. Starts the daemon where none runs, and asks again.
def Ask(path: string, body: dict<any>, Answer: func(dict<any>), is_last = false)
  Run(['api', 'POST', path, '--data', '-'], json_encode(body), (status, out, said) => {
    if status == 69 && !is_last && $CONTEXTD_URL == ''
      Run(['ensure'], '', (started, _, why) => started == 0 ? Ask(path, body, Answer, true) : Complain(why))
    elseif out == ''
      Complain(said)
    else
      Answer(json_decode(out))
    endif
  })
enddef

# Done gets the exit code, and what was written on standard output and on standard error.
def Run(arguments: list<string>, input: string, Done: func(number, string, string))
  if !executable('contextd') | Complain('the command is not on the path') | return | endif
  final out: list<string> = []
  final said: list<string> = []
  const process = job_start(['contextd'] + arguments, {
    mode: 'raw',
    out_cb: (_, text) => add(out, text),
    err_cb: (_, text) => add(said, text),
    close_cb: (channel) => {
      while job_status(ch_getjob(channel)) == 'run'
        sleep 5m
      endwhile
      Done(job_info(ch_getjob(channel)).exitval, join(out, ''), join(said, ''))
    },
  })
  ch_sendraw(process, input)
  ch_close_in(process)
enddef
