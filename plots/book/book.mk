# What writes the texts, the book, and the pictures of access orders.

## Texts and pictures of access orders:
## picture      which work-item reads what, drawn; STEP=10, KERNEL=mine/10.cl
asked = STEP KERNEL VARIANT N GROUP GROUPS WIDTH LANES
picture: all
	@plots/book/picture.py $(foreach what,$(asked),$(if $($(what)),"$(what)=$($(what))"))
## book         the tutorial and the READMEs as one HTML file, and as a PDF
book:
	@plots/book/book.py
## docs         renew what the texts show of the repository; ALL=1: times too
docs: all
	@plots/book/picture.py --all
	@plots/book/docs.py $(if $(ALL),--all)

# A step's own plan, with a kernel that records what it reads: see record.c.
$(LADDER:step%=build/record%): build/record%: plots/book/record.c \
		$$(wildcard steps/$$*_*.c steps/beyond/$$*_*.c) $(COMMON)
	$(call say,LINK $@)$(CC) $(CPPFLAGS) $(CFLAGS) -D STEP='"../../$(word 2,$^)"' -MMD -MP $< \
		$(COMMON) -o $@ $(LDFLAGS) $(LDLIBS)

.PHONY: picture book docs
