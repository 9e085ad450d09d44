# A persistent Perl: package variables and subs stay from block to block, `my` variables do not.
package Reploop;
use IO::Handle;
open(my $marks, '>', delete($ENV{REPLOOP_DIRECTORY}) . '/marks') or die $!;
open(my $orders, '<&', \*STDIN) or die $!;
open(STDIN, '<', '/dev/null');
$marks->autoflush(1);

sub evaluate {
    package main;
    no strict;
    my @value = eval "#line 1 \"(block)\"\n" . $_[0];
    return wantarray ? @value : $value[-1];
}

while (my $order = <$orders>) {
    chomp $order;
    my ($file, $out, $err, $token) = split /\t/, $order;
    open(STDOUT, '>', $out);
    open(STDERR, '>', $err);
    STDOUT->autoflush(1);
    STDERR->autoflush(1);
    open(my $source, '<', $file);
    my $code = do { local $/; <$source> };
    close $source;
    my $status = 0;
    {
        local $SIG{INT} = sub { die "interrupted\n" };
        no warnings 'once';
        local *CORE::GLOBAL::exit = sub { die bless { status => $_[0] // 0 }, 'Reploop::Exit' };
        eval { evaluate($code); die $@ if $@; 1 } or do {
            my $error = $@;
            if (ref $error eq 'Reploop::Exit') { $status = $error->{status} & 255 }
            elsif ($error eq "interrupted\n") { $status = 130 }
            else { print STDERR $error; $status = 1 }
        };
    }
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
    print $marks "$token $status\n";
}
