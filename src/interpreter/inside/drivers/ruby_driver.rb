# A persistent Ruby: each line of standard input names a block's file, its streams and its token.
marks = File.open(File.join(ENV.delete('REPLOOP_DIRECTORY'), 'marks'), 'w')
marks.sync = true
orders = STDIN.dup
orders.close_on_exec = marks.close_on_exec = true
STDIN.reopen(File::NULL)

orders.each_line(chomp: true) do |order|
  file, out, err, token = order.split("\t")
  STDOUT.reopen(out, 'w').sync = true
  STDERR.reopen(err, 'w').sync = true
  $stdout, $stderr = STDOUT, STDERR
  status = 0
  begin
    value = TOPLEVEL_BINDING.eval(File.read(file, encoding: 'utf-8'), '(block)')
    puts "=> #{value.inspect}" unless value.nil?
  rescue SystemExit => e
    status = e.status
  rescue Interrupt
    status = 130
  rescue Exception => e # a SyntaxError is no StandardError, and must not end the session either
    ours = e.backtrace.to_a.reject { |line| line.include?(__FILE__) }
    STDERR.puts "#{e.class}: #{e.message}", *ours.map { |line| "    from #{line}" }
    status = 1
  end
  begin
    $stdout.flush
    STDOUT.flush
    STDOUT.reopen(File::NULL, 'w')
    STDERR.reopen(File::NULL, 'w')
  rescue Interrupt, IOError
    nil
  end
  marks.puts "#{token} #{status}"
end
