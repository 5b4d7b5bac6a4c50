# mapinspect in a Makefile.
#
#   MAPINSPECT_ELF    := build/fw.elf
#   MAPINSPECT_MAP    := build/fw.map          # written by -Wl,-Map=build/fw.map
#   MAPINSPECT_CONFIG := mapinspect.toml       # optional
#   MAPINSPECT_MODELS := models/kws.tflite     # optional
#   include $(shell mapinspect --cmake-dir)/mapinspect.mk
#
#   all: $(MAPINSPECT_STAMP)
#
#   $(MAPINSPECT_ELF): $(OBJECTS) $(LINKER_SCRIPT)
#   	$(MAPINSPECT_LINK) $(CC) $(LDFLAGS) -Wl,-Map=$(MAPINSPECT_MAP) -o $@ $(OBJECTS)
#
# The stamp is written only on PASS, so a broken budget fails every build until it is mended, and
# the check runs again when the ELF, the table or a model changes. MAPINSPECT_LINK in front of
# the link command keeps the linker's exit status and, when the link fails, says from the map
# what overflowed. `make MAPINSPECT_REPORT_ONLY=1` prints the report and never fails for what it finds.
#
# Write the link rule with explicit file names: make removes the ELF of a pattern rule (%.elf) as an
# intermediate file.

mapinspect_goal := $(.DEFAULT_GOAL)

MAPINSPECT ?= mapinspect
MAPINSPECT_STAMP ?= $(MAPINSPECT_ELF).mapinspect

mapinspect_options = --map '$(MAPINSPECT_MAP)' \
  $(if $(MAPINSPECT_CONFIG),--config '$(MAPINSPECT_CONFIG)') \
  $(foreach model,$(MAPINSPECT_MODELS),--model '$(model)')

MAPINSPECT_LINK = $(MAPINSPECT) link $(mapinspect_options) --

$(MAPINSPECT_STAMP): $(MAPINSPECT_ELF) $(MAPINSPECT_CONFIG) $(MAPINSPECT_MODELS)
ifdef MAPINSPECT_REPORT_ONLY
	$(MAPINSPECT) check --elf '$(MAPINSPECT_ELF)' $(mapinspect_options) --exit-zero
else
	$(MAPINSPECT) check --elf '$(MAPINSPECT_ELF)' $(mapinspect_options) \
	  --stamp '$@' --depfile '$@.d'
endif

-include $(MAPINSPECT_STAMP).d

# The includer's first target stays the default, wherever it stands.
.DEFAULT_GOAL := $(mapinspect_goal)
