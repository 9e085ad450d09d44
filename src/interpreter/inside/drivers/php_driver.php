<?php
// A persistent PHP: variables, functions and classes stay from block to block.
(function () {
    $GLOBALS['__reploop'] = [
        fopen(getenv('REPLOOP_DIRECTORY') . '/marks', 'w'),
        fopen('php://stdin', 'r'),
    ];
})();
ob_implicit_flush(true);
error_reporting(E_ALL);
ini_set('display_errors', 'stderr');
ini_set('log_errors', '0');
if (function_exists('pcntl_signal')) {
    pcntl_async_signals(true);
    pcntl_signal(SIGINT, function () { throw new Error('interrupted', 130); });
}

while (($__reploop['order'] = fgets($__reploop[1])) !== false) {
    [$__reploop['file'], , , $__reploop['token']] = explode("\t", trim($__reploop['order']));
    $__reploop['status'] = 0;
    try {
        $__reploop['code'] = preg_replace('/^\s*<\?php\b/', '', file_get_contents($__reploop['file']));
        eval($__reploop['code']);
    } catch (Throwable $__reploop_error) {
        $__reploop['status'] = $__reploop_error->getCode() === 130 ? 130 : 1;
        $__reploop['name'] = get_class($__reploop_error);
        fwrite(STDERR, "{$__reploop['name']}: {$__reploop_error->getMessage()}"
            . " on line {$__reploop_error->getLine()}\n");
    }
    fwrite($__reploop[0], "{$__reploop['token']} {$__reploop['status']}\n");
}
