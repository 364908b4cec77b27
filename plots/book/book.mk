# Targets that write the texts, the book and the pictures of access orders.

## Texts and pictures of access orders:
## picture      draw which work-item reads which element; STEP=10, KERNEL=
asked = STEP KERNEL VARIANT N GROUP GROUPS WIDTH LANES BATCH
picture: all
	@plots/book/picture.py $(foreach what,$(asked),$(if $($(what)),"$(what)=$($(what))"))
## book         make one HTML file and a PDF of the tutorial and the READMEs
book:
	@plots/book/book.py
## docs         renew numbers, listings and pictures; ALL=1: transcripts, too
docs: all
	@plots/book/picture.py --all
	@plots/book/moving.py
	@plots/book/docs.py $(if $(ALL),--all)

# Programs that execute a step's plan with a kernel that prints its loads: see record.c.
$(patsubst step%,build/record%,$(filter-out $(CAPSTONES),$(LADDER))): build/record%: \
		$$(call object_of,$$*) build/plots/book/record.o $(COMMON)
	$(call say,LINK $@)$(CC) $(filter %.o,$^) $(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

.PHONY: picture book docs
