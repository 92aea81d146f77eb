" What the scripts of the tests call. Waits see to it that a script ends.
func Wait(what, Condition)
  for turn in range(1500)
    if a:Condition() | return | endif
    sleep 20m
  endfor
  call writefile(['still waiting for ' .. a:what .. ' beside ' .. Shown() .. Messages()], $OUTPUT, 'a')
  cquit!
endfunc

func Shown()
  return join(getbufline(bufnr('contextd]'), 1, '$'), "\n")
endfunc

func Messages()
  return execute('messages')
endfunc

func UntilShown(text)
  call Wait(a:text, {-> Shown() =~# a:text})
endfunc

func UntilTold(text)
  call Wait(a:text, {-> Messages() =~# a:text})
  messages clear
endfunc

func KillDaemon()
  let daemon = json_decode(join(readfile($CONTEXTD_STATE_DIR .. '/daemon.json'), ''))
  call system('kill -9 ' .. daemon.pid)
  " Threads of it can answer for a moment longer.
  sleep 500m
endfunc
