#!/usr/bin/perl
# Tests plots/asm.py: which lines of a listing it shows and marks, in each language; the table about the article; and one line for
# wrong input. With ocloc it compiles two kernels; only test-all compiles all of them, and compares them with asm.dat.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Steps;
use Test::More;

my $asm    = "$root/plots/asm.py";
my $folder = make_folder();
my $path   = hide_tools(qw(ocloc objdump ptxas nvdisasm));
delete @ENV{qw(TARGET DEVICE VARIANT OP TYPE WIDTH SUBGROUPS)};

sub run_without_tools {
    local $ENV{PATH} = $path;
    return run(@_);
}

sub expect_refusal { # exit status 2 and one line
    my ($name, $word, @said) = @_;
    like("@said", qr/\A2  [^\n]*$word[^\n]*\n\z/, "$name: one line");
}

# ---- listings
my $ptx = <<'END';
.version 8.0
.target sm_80, texmode_independent
.visible .entry reduce(
	.param .u64 reduce_param_0
)
{
	ld.param.u64 	%rd1, [reduce_param_0];
$L__BB0_1:
	mov.u32 	%r9, 0;
$L__BB0_2:
	ld.global.v4.u32 	{%r3, %r4, %r5, %r6}, [%rd6];
	// a comment is not shown
	add.s32 	%r2, %r2, %r3;
	@%p2 bra 	$L__BB0_2;

	@%p1 bra 	$L__BB0_1;
$L__BB0_3:
	ld.global.u32 	%r3, [%rd6];
	ld.global.u32 	%r4, [%rd6+4];
	@%p2 bra 	$L__BB0_3;
	bra.uni 	$L__BB0_4;
$L__BB0_4:
	redux.sync.add.s32 	%r7, %r2, 0xffffffff;
	st.shared.u32 	[%r1], %r7;
	bar.sync 	0;
	red.global.add.u32 	[%rd3], %r8;
	ret;
}
END
my $ptx_shown = <<'END';
  $L__BB0_2:
load 32 x 16 B > ld.global.v4.u32  {%r3, %r4, %r5, %r6}, [%rd6];
add add.s32  %r2, %r2, %r3;
jump @%p2 bra  $L__BB0_2;
in these lines: ld.global.v4.u32 1
in the kernel: ld.global.v4.u32 1, ld.global.u32 2, redux.sync.add.s32 1, st.shared.u32 1, bar.sync 1, red.global.add.u32 1
no machine code: it needs ptxas and nvdisasm, of CUDA
END
my $nvdisasm = <<'END';
reduce:
        /*0000*/                   S2R R3, SR_TID.X ;
        /*0010*/                   LDC R1, c[0x0][0x28] ;
.L_x_3:
        /*0020*/                   LDG.E R4, [R22.64] ;
        /*0030*/              @!P1 BRA `(.L_x_3) ;
.L_x_4:
        /*0040*/                   LDG.E.128 R4, [R22.64] ;
        /*0050*/                   IADD3 R4, R5, R0, R4 ;
        /*0060*/              @!P1 BRA `(.L_x_4) ;
        /*0070*/                   REDUX.SUM.S32 UR4, R0 ;
        /*0080*/                   SHFL.DOWN PT, R0, R2, 0x10, 0x1f ;
        /*0090*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*00a0*/               @P0 RED.E.ADD.STRONG.GPU [R2.64], R5 ;
        /*00b0*/                   EXIT ;
END
my $sass_shown = <<'END';
load 32 x 16 B > /*0040*/  LDG.E.128 R4, [R22.64] ;
add /*0050*/  IADD3 R4, R5, R0, R4 ;
jump /*0060*/  @!P1 BRA `(.L_x_4) ;
in these lines: LDG.E.128 1
in the kernel: LDG.E 1, LDG.E.128 1, REDUX.SUM.S32 1, SHFL.DOWN 1, BAR.SYNC.DEFER_BLOCKING 1, RED.E.ADD.STRONG.GPU 1
END
my $intel = <<'END';
//.kernel reduce
_0_001:
        send.dc1 (16|M0) r9 r8 null 0x0 0x04205EFE {@2,$0} // wr:2+0, rd:2; untyped surface read with x // $20
        while (16|M0) _0_001 // $22
// B002: Preds:{B001}
_0_002:
(W) mov (16|M0) r2.0<1>:f 0x0:f {Compacted} // (0x00000000:f); $29
(W) send.dc0 (16|M0) r24 r20 null 0x0 0x02484400 {@1,$1} // wr:1h+0, rd:4; oword aligned block read x8 // $27
        add (16|M0) r20.0<1>:d r20.0<8;8,1>:d r36.0<8;8,1>:d {Compacted,$3.dst} // $37 R{} IR{}
        while (16|M0) _0_002 // $28
        send.dc1 (16|M0) r22 r18 null 0x0 0x04205E00 {@2,$0} // wr:2+0, rd:2; untyped surface read with x // $25
(W) send.gtwy (1|M0) null r3 null 0x0 0x02000004 {@2,$7} // wr:1+0, rd:0; signal barrier // $34
(W) send.dc1 (1|M0) null r6 r8 0x40 0x040487FF {@1,$2} // wr:2+1, rd:0; untyped a64 atomic int32 integer add // $38
        send (8|M0) null r9 0xA 0x0 // wr:1h+1, rd:0; hdc.dc0; hword scratch block write x1 // $39
(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT,@1} // wr:1+0, rd:0; end of thread // $40
END
my $intel_shown = <<'END';
  _0_002:
index (W)  mov (16|M0)  r2.0  0x0:f  //  (0x00000000:f)
load 1 x 128 B > (W)  send.dc0 (16|M0)  r24  r20  // block read x8
add add (16|M0)  r20.0  r20.0  r36.0
jump while (16|M0)  _0_002
in these lines: spills 0, barriers 0, local 0, atomics 0, block_reads 1, scattered_reads 0, writes 0
in the kernel: spills 1, barriers 1, local 1, atomics 1, block_reads 1, scattered_reads 1, writes 0
END
my $x86 = <<'END';
Disassembly of section .text:

0000000000001000 <reduce>:
    1000:	vmovdqa (%rsp,%rax,4),%ymm1
    1005:	jne    1000 <reduce>
    1010:	add    (%rdi,%rbx,4),%eax
    1013:	jb     1010 <reduce+0x10>
    1020:	vpaddd (%rax),%xmm0,%xmm0
    1024:	lea    (%rax,%rdx,1),%rax
    1028:	jb     1020 <reduce+0x20>
    102a:	ret
END
my $x86_shown = <<'END';
load 1 x 16 B, add > 1020:  vpaddd (%rax),%xmm0,%xmm0
index 1024:  lea    (%rax,%rdx,1),%rax
jump 1028:  jb     1020
in these lines: atomics 0, scalars 0, xmm 1
in the kernel: atomics 0, scalars 1, ymm 1, xmm 1
END
my %listings = ('PTX' => [ $ptx, $ptx_shown ], 'SASS' => [ $nvdisasm, "  .L_x_4:\n$sass_shown" ],
    'Intel' => [ $intel, $intel_shown ], 'x86' => [ $x86, $x86_shown ]);
for my $name (sort keys %listings) {
    my ($listing, $shown) = @{ $listings{$name} };
    my ($status, $out, $err) = run_without_tools($asm, spew("$folder/listing", $listing));
    is("$status $err$out" =~ s/ +/ /gr, "0 $shown" =~ s/ +/ /gr, "$name: the innermost loop with the widest loads");
}
# ---- x86: loops with wider loads that do not read elements, as CPU runtimes make them
my $copies = <<'END';
Disassembly of section .text:

0000000000001000 <_pocl_kernel_reduce>:
    1150:	vpaddd (%rdi),%xmm0,%xmm0
    1154:	add    %r14,%rax
    1158:	cmp    %r8,%rax
    115d:	jb     1150 <_pocl_kernel_reduce+0x150>
    1880:	vmovdqu -0x60(%r11,%rcx,4),%ymm1
    1899:	vmovdqu %ymm1,-0x60(%r12,%rcx,4)
    1910:	add    $0x20,%rcx
    1914:	cmp    %rcx,%rdx
    1917:	jne    1880 <_pocl_kernel_reduce+0x880>
END
my $trees = <<'END';
Disassembly of section .text:

0000000000000000 <reduce>:
      c0:	mov    (%rax,%r15,4),%edi
      c4:	mov    %edi,(%r10,%r15,4)
      c8:	jne    c0 <reduce+0xc0>
0000000000000200 <_ZGVeN16uuuu_reduce>:
     2f0:	vmovdqu32 (%rcx,%r15,4),%zmm8{%k1}{z}
     340:	vpscatterdd %zmm8,(%rdi,%zmm9,4){%k1}
     347:	cmp    $0x2,%r10d
     34b:	jb     2f0 <_ZGVeN16uuuu_reduce+0xf0>
0000000000000400 <_pocl_kernel_reduce>:
     430:	vmovdqu32 (%rdx,%rcx,4),%xmm2{%k1}{z}
     440:	vmovdqu %xmm2,(%rcx)
     44c:	jne    430 <_pocl_kernel_reduce+0x30>
     680:	vmovdqu64 0x40(%r11,%rcx,4),%zmm1
     690:	vmovdqu64 %zmm1,0x80(%r12,%rcx,4)
     69c:	jne    680 <_pocl_kernel_reduce+0x280>
     6a0:	add    (%rcx,%rax,4),%edx
     6a4:	jne    6a0 <_pocl_kernel_reduce+0x2a0>
END
my $pocl_trees = $trees =~ s/^0000000000000000 .*?(?=^0000000000000400 )//smr;
for (
    [ $copies, '1150:  vpaddd (%rdi),%xmm0,%xmm0', 'not a loop that copies the variables of a tree' ],
    [ $copies =~ s/%ymm1/%zmm1/gr =~ s/r12,%rcx,4\)/r12,%rcx,4){%k1}/r, '1150:  vpaddd (%rdi),%xmm0,%xmm0', '... with a mask' ],
    [ $copies =~ s/(1154:).*/$1	mov    %rax,0x28(%rsp)/r, '1150:  vpaddd (%rdi),%xmm0,%xmm0', 'also if it saves a register on the stack' ],
    [ $trees, '2f0:  vmovdqu32 (%rcx,%r15,4),%zmm8{%k1}{z}', 'all loops write: the widest of the first loops of the functions' ],
    [ $pocl_trees, '430:  vmovdqu32 (%rdx,%rcx,4),%xmm2{%k1}{z}', '... not a loop of the tree' ],
) {
    my ($listing, $first, $name) = @$_;
    my ($status, $out, $err) = run_without_tools($asm, spew("$folder/listing", $listing));
    like("$status$err$out", qr/\A0.{18} > \Q$first\E\n/, "x86: the loop that loads elements, $name");
}

# Stand-ins of CUDA's tools. This disassembler prints the listing above.
my %tools = (ptxas => 'test "$1 $3" = "-arch=sm_80 -o" && cp ptx "$4"',
    nvdisasm => qq(test "\$1" = -c && cat <<'END'\n${nvdisasm}END\n));
mkdir "$folder/cuda" or die "$folder/cuda: $!\n";
for my $tool (sort keys %tools) {
    chmod 0755, spew("$folder/cuda/$tool", "#!/bin/sh\n$tools{$tool}\n");
}
{
    local $ENV{PATH} = "$folder/cuda:$ENV{PATH}";
    my ($status, $out, $err) = run($asm, spew("$folder/listing", $ptx));
    my $both = $ptx_shown =~ s/^no machine.*/machine code that ptxas makes of this PTX for sm_80:/mr . "  .L_x_4:\n$sass_shown";
    is("$status $err$out" =~ s/ +/ /gr, "0 $both" =~ s/ +/ /gr, 'PTX, with CUDA\'s tools: then the loop of the machine code');
    chmod 0755, spew("$folder/cuda/ptxas", "#!/bin/sh\necho unsupported version >&2\nexit 255\n");
    ($status, $out, $err) = run($asm, "$folder/listing");
    is("$status $err", "1 unsupported version\n", 'ptxas fails: its log, exit 1');
}
my ($status, $out, $err) = run_without_tools($asm, spew("$folder/listing", $ptx =~ s/^\t.*\bbra\b.*\n//mgr));
like($out, qr/\A.* > ld.global.v4.u32 .*\nadd +add.s32 .*\nin these/, 'without a loop: the lines from the first read to the next label');

spew("$folder/listing", $intel);
my @python = ('python3', '-c', 'import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import asm; '
        . 'asm.DATA = Path(sys.argv[2]); print(*eval(sys.argv[3]), sep="\n")', "$root/plots");
($status, $out, $err) = run(@python, "$folder/listing", 'setattr(asm, "compile_for", lambda *_: (asm.Listing(asm.DATA.read_text(), ""), 16)), '
        . 'asm.make_row(Path("step06"), "commutative", "tgllp")');
is("$status$err$out", "0None\n06 commutative tgllp 16 1 1 1 1 1 1 0 1 0 32\n", 'Intel: a row of asm.dat');

# ---- the committed listings: their notes are those that languages.ini gives now. (Intel's are compiled again below, because they
# do not show all that a rule needs.) In the loops that the tutorial shows, each instruction has a note.
my $check = <<'END';
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import asm
results = Path(sys.argv[1], "results")
shown = [path for place in asm.SHOWN.values() for step in asm.SHOWN_STEPS if (path := results / f"{place}{step}.txt").is_file()]
if len(shown) != 10:
    print(f"{len(shown)} listings of loops that the tutorial shows, not 10")
for path in sorted({*results.glob("*/asm/*.txt"), *shown}):
    language = "x86" if "pocl" in path.parts else "PTX" if "h200" in path.parts else "Intel"
    for line in path.read_text().splitlines():
        language = "SASS" if line.startswith("machine code") else language
        if line[18:21] in ("   ", " > "):
            note, line = line[:18].strip(), line[21:]
            if language != "Intel" and note != asm.classify(asm.LANGUAGES[language]["rules"], line)[1]:
                print(f"{path}: another note: {note}: {line}")
            if path in shown and not note and not line.endswith(":"):
                print(f"{path}: no note: {line}")
END
($status, $out, $err) = run('python3', '-c', $check, "$root/plots");
is("$status$out$err", '0', 'the committed listings have the notes of languages.ini');
my $loops = join '', (run(@python, $root, 'asm.make_loop_table()'))[1];
like($loops, qr/^\| H200 \| 07 \| 12 \| 1 \| 32 \|$/m, 'for 128 ints: twelve instructions, one load of 32 addresses');

# ---- wrong input
expect_refusal('a file that is no listing', 'no listing', run_without_tools($asm, "$root/README.md"));
expect_refusal('an empty file', 'no listing', run_without_tools($asm, spew("$folder/empty", '')));
expect_refusal('a file that does not exist', 'No such file', run($asm, "$folder/nosuch"));
expect_refusal('no argument', 'usage', run($asm));
expect_refusal('a step that does not exist', '99: must be a step from 01 to 11', run($asm, 99));
expect_refusal('a step with another command line, built or not', '13: must be a step from 01 to 11', run($asm, 13));
expect_refusal('an ELF file without objdump', 'binutils', run_without_tools($asm, spew("$folder/elf", "\x7fELF...")));
expect_refusal('no ocloc', 'intel-opencl-icd of Debian 12', run_without_tools($asm, '06'));
expect_refusal('no ocloc, --all', 'intel-opencl-icd of Debian 12', run_without_tools($asm, '--all', "$folder/none.dat"));
expect_refusal('--all without a file', 'usage', run($asm, '--all'));
for ([ TARGET => 'nosuch', 'bdw, kbl, tgllp, dg1' ], [ VARIANT => 'nosuch', '--variants' ], [ WIDTH => 4, '--width' ]) {
    my ($variable, $value, $word) = @$_;
    local $ENV{$variable} = $value;
    expect_refusal("$variable=$value, with or without ocloc", $word, run_without_tools($asm, '06'));
}

# ---- the table: a verdict follows from asm.dat
sub make_table {
    my ($data) = @_;
    return run(@python, spew("$folder/asm.dat", $data), 'asm.make_table()');
}
my $data = slurp("$root/plots/results/asm.dat");
my $rows = slurp("$root/plots/published/README.md") =~ s/.*<!-- compiled -->\n(.*?)<!-- \/compiled -->.*/$1/sr;
is(join('', make_table($data)), "0$rows", 'the table in the text is that of asm.dat');
my ($claim) = grep { /SIMD32/ } split /\n/, (make_table($data =~ s/^(02 global tgllp) 32/$1 320/mr))[1];
like($claim, qr/simd 320 \| different today \|/, 'another SIMD width: different today');
($claim) = grep { /SIMD32/ } split /\n/, (make_table($data =~ s/^02 global tgllp .*\n//mr))[1];
like($claim, qr/\| - \| not checkable here \|/, 'no row: not checkable here');

# ---- the table of messages: the time of the article for the same kernel and GPU, if there is one
my $messages = join '', (run(@python, spew("$folder/asm.dat", $data), 'asm.make_message_table()'))[1];
like($messages, qr/^\| 02_global \| $_->[0] \| 32 \|.*\| $_->[1] \|$/m, "the time of the article on $_->[0]")
    for [ bdw => 77 ], [ kbl => 146 ], [ tgllp => 49 ], [ dg1 => '-' ];

# ---- what compilers make
SKIP: {
    skip 'no ocloc: install the package intel-opencl-icd, if your system has it', 1 unless has_tool('ocloc');
    local $ENV{TARGET} = 'tgllp';
    ($status, $out, $err) = run($asm, '10');
    is("$status$err", '0', 'asm10: nothing on standard error');
    like($out, qr/\A10_block_reads\.cl for tgllp \(Iris Xe\), built with .*-D INTEL -D LANES=16 -D BATCH=4\n(?:.*\n)+load 1 x 128 B +> .*block read x8\n/,
        'asm10: a block read in the loop');
    like($out, qr/^SIMD16, in the kernel: .*\bbarriers 2,.* block_reads 10, scattered_reads 1/m, '... and the counts');
    local $ENV{TYPE} = 'double';
    ($status, $out, $err) = run($asm, '06');
    like("$status $err", qr/\A1 .*cl_khr_fp64/s, 'a kernel that does not compile for the GPU: the log, exit 1');
    is($out, '', '... and nothing else');
}
for my $device (list_devices()) {
SKIP: {
        skip "$device->{name}: no objdump", 1 unless has_tool('objdump');
        local $ENV{DEVICE} = $device->{number};
        ($status, $out, $err) = run($asm, '10');
        like("$status$err$out", qr/\A0block 10_block_reads\.cl .*\n(?:.{18} [ >] .*\n)+in these lines: .*\d\n/,
            "$device->{name}: its loop");
    }
}
SKIP: {
    my ($compiler) = $data =~ /^# compiler: (.*)/m;
    my $packages = has_tool('dpkg-query') ? join ' ', split ' ', (run(qw(dpkg-query -W intel-opencl-icd libigc1)))[1] : '';
    skip "asm.dat: it is of $compiler, but this machine has '$packages'", 1 if $packages ne $compiler || !has_tool('ocloc');
    # ocloc takes half a second for each kernel, so `make test` compiles only one again.
    for my $file (choose_some(map { s/.*\///r } find_files($root, 'plots/results/tgllp_*.txt'))) {
        local @ENV{qw(TARGET WIDTH)} = ('tgllp', $file =~ /width_(\d+)/ ? $1 : '');
        ($status, $out, $err) = run($asm, $file =~ /(\d\d)/);
        is("$status$err$out", '0' . slurp("$root/plots/results/$file"), "$file is what ocloc makes");
    }
    skip "asm.dat: only make test-all compiles it again: a minute", 1 unless $test_all;
    my $copy = copy_tree(qw(plots steps kernels build), map { "step$_" } @steps);
    ($status, $out, $err) = run("$copy/plots/asm.py", '--all', "$folder/new.dat");
    is("$status$out$err", '0', 'asm.py --all');
    is(slurp("$folder/new.dat"), $data, '... writes the committed asm.dat again');
}
done_testing();
