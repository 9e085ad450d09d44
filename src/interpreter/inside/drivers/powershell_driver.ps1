# A persistent PowerShell: variables and functions stay from block to block.
$__reploop_marks = [System.IO.StreamWriter]::new("$env:REPLOOP_DIRECTORY/marks")
$__reploop_marks.AutoFlush = $true
$env:REPLOOP_DIRECTORY = $null
while ($null -ne ($__reploop_order = [Console]::In.ReadLine())) {
    $__reploop_words = $__reploop_order.Split("`t")
    $global:LASTEXITCODE = 0
    $__reploop_status = 0
    try {
        . ([scriptblock]::Create([System.IO.File]::ReadAllText($__reploop_words[0]))) | Out-String -Stream |
            ForEach-Object { [Console]::Out.WriteLine($_) }
        if ($global:LASTEXITCODE) { $__reploop_status = $global:LASTEXITCODE }
    } catch {
        [Console]::Error.WriteLine(($_ | Out-String).TrimEnd())
        $__reploop_status = 1
    }
    [Console]::Out.Flush()
    $__reploop_marks.WriteLine("$($__reploop_words[3]) $__reploop_status")
}
