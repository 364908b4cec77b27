#!/usr/bin/perl
# Tests make book. Opens the book in headless Chromium, with the width of a telephone and of a projector. No picture may be
# missing, no link broken, and nothing wider than the page, and the browser must not report an error. Then the page is broken once
# in each of these ways, and the test must notice it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

needs_test_all('half a minute');
my @browsers = qw(chromium chromium-browser google-chrome);
my ($chromium) = grep { has_tool($_) } @browsers;
my $book = "$root/plots/book/book.py";
my $into = make_folder() . '/book';

# If pandoc or Chromium is missing, book.py prints one line and writes no file.
{
    my $bin = make_folder() . '/bin'; # with a pandoc that does nothing
    mkdir $bin;
    chmod 0755, spew("$bin/pandoc", "#!/bin/sh\n");
    for ([ 'pandoc', hide_tools('pandoc') ], [ 'chromium', "$bin:" . hide_tools(@browsers) ]) {
        my ($tool, $path) = @$_;
        local $ENV{PATH} = $path;
        my ($status, $out, $err) = run($book, $into);
        is("$status$out", '2', "no $tool: exit 2");
        like($err, qr/\Abook\.py: $tool is missing: the package $tool contains it; make deps BOOK=1 installs it\n\z/,
            '... and one line says so');
    }
    ok(!-e "$into/reductions.html", '... and no book is written');
}

unless ($chromium && has_tool('pandoc')) {
SKIP: { skip 'no ' . ($chromium ? 'pandoc' : 'chromium') . ': make deps BOOK=1 installs it', 1 }
    done_testing();
    exit;
}

my ($status, $out, $err) = run($book, $into);
is($status, 0, 'make book') or BAIL_OUT("$out$err");
my $page = slurp("$into/reductions.html");
like(slurp("$into/reductions.pdf"), qr/\A%PDF-/, 'there is a PDF');
cmp_ok(-s "$into/reductions.pdf", '>', 100_000, '... which is not empty');

# Returns a word for each fault of the page at this width, with every part unfolded, and the messages of the browser. The page is
# in a frame, because Chromium's own window cannot be narrower than 500 pixels.
sub find_faults {
    my ($text, $width) = @_;
    my $check = <<'END';
<script>
window.addEventListener('load', () => {
    const faults = [], all = (what) => [...document.querySelectorAll(what)];
    const isWide = (one) => one.getBoundingClientRect().right > innerWidth && !one.closest('pre, .wide');
    all('details').forEach(fold => fold.open = true);
    all('img').forEach(image => image.naturalWidth && image.alt || faults.push('picture:' + image.alt));
    all('img, script[src], link').forEach(from => /^data:/.test(from.src) || faults.push('outside:' + from.src));
    all('a').forEach(({hash, href}) => /^https:/.test(href) || document.getElementById(decodeURIComponent(hash.slice(1)))
        || faults.push('link:' + href));
    all('details h1, details h2, details h3').forEach(one => faults.push('folded:' + one.textContent));
    const prose = document.body.cloneNode(true);
    prose.querySelectorAll('pre, code, script, style').forEach(one => one.remove());
    ['`', '<!--', '</details>'].filter(raw => prose.textContent.includes(raw)).forEach(raw => faults.push('raw:' + raw));
    const ids = all('[id]').map(one => one.id);
    ids.filter((id, at) => ids.indexOf(id) != at).forEach(id => faults.push('twice:' + id));
    if (document.documentElement.scrollWidth > innerWidth)
        faults.push('wide:' + document.documentElement.scrollWidth,
            ...all('main *').filter(isWide).slice(0, 3).map(one => one.outerHTML.slice(0, 80)));
    parent.document.body.textContent = `width ${innerWidth} faults ${faults.join(' ')} end`;
});
</script>
END
    my $quoted = $text =~ s/<\/body>/$check<\/body>/r =~ s/&/&amp;/gr =~ s/"/&quot;/gr;
    spew("$into/page.html",
        "<!DOCTYPE html><meta charset=utf-8><body><iframe style='width: ${width}px; height: 900px; border: 0' "
            . "srcdoc=\"$quoted\"></iframe></body>");
    my ($is, $dom, $said) = run($chromium,
        qw(--headless --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr --dump-dom),
        "--user-data-dir=$into/profile", '--window-size=1300,1000', "file://$into/page.html");
    my ($seen, $faults) = $dom =~ /width (\d+) faults (.*?) *end/s;
    return join ' ', ($is ? "status:$is" : ()), (($seen // 0) == $width ? () : 'width:' . ($seen // 'none')),
        ($faults // '') || (),
        $said =~ /CONSOLE[^\n]*?"(.*?)"/g;
}

is(find_faults($page, $_), '', "$_ pixels: nothing is missing, broken or too wide, and the browser reports no error") for 390,
    1280;
for (
    [ 'picture:', $page =~ s/base64,PD94[^"]{20}/base64,PD94/r ],
    [ 'outside:', $page =~ s/src="data:[^"]*"/src="all.svg"/r ],
    [ 'link:',    $page =~ s/href="#0-/href="#none-/r ],
    [ 'twice:',   $page =~ s/<main>/<main id="0-">/r ],
    [ 'wide:',    $page =~ s/<main>/<main><div style="width: 1300px">wide<\/div>/r ],
    [ 'undefined', $page =~ s/<main>/<main><script>nothing.at.all<\/script>/r ],
) {
    my ($what, $text) = @$_;
    like(find_faults($text, 390), qr/\Q$what\E|not defined/, "the test finds this fault: $what");
}
like($page, qr/prefers-color-scheme: dark/, 'the page has colours for light and dark');
unlike($page, qr/https?:[^"]*\.(?:js|css|svg|png|woff2?)\b/, 'the page loads nothing from other places');

# A text that shows a picture which does not exist.
my $copy = copy_tree(qw(plots steps README.md TUTORIAL.md INSTRUCTORS.md));
spew("$copy/README.md", "# A\n\n![a](plots/none.svg)\nb\n");
($status, $out, $err) = run("$copy/plots/book/book.py", $into);
is("$status$out$err", "2book.py: README.md: shows plots/none.svg, but there is no such picture\n",
    'a picture that is missing: one line');

done_testing();
