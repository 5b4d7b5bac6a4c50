# mapinspect in a Makefile.
#
#   MAPINSPECT_ELF    := build/fw.elf
#   MAPINSPECT_CONFIG := mapinspect.toml       # optional: else the nearest one upward
#   MAPINSPECT_MODELS := models/kws.tflite     # optional: models besides those of the table
#   MAPINSPECT_MAP    := build/fw.map          # optional: else the ELF's name with .map added
#   include $(shell mapinspect --make-dir)/mapinspect.mk
#
#   all: $(MAPINSPECT_STAMP)
#
#   $(MAPINSPECT_ELF): $(OBJECTS) $(LINKER_SCRIPT)
#   	$(MAPINSPECT_LINK) $(CC) $(LDFLAGS) -T $(LINKER_SCRIPT) -o $@ $(OBJECTS)
#
# The stamp is written only on PASS, so a broken budget fails every build until it is mended, and
# the check runs again when the ELF, the table or a model changes. MAPINSPECT_LINK in front of the
# link command keeps the linker's exit status and, when the link fails, says from the map what
# overflowed; it also asks for the map, where the command does not. Without MAPINSPECT_LINK the
# command must: -Wl,-Map=build/fw.elf.map.
#
# `make MAPINSPECT_REPORT_ONLY=1` prints the report and never fails.
#
# For a further image set the variables again and include this file again: every image keeps its
# own. MAPINSPECT_STAMPS are the stamps of all of them.
#
# Write the link rule with explicit file names: make removes the ELF of a pattern rule (%.elf) as an
# intermediate file. Let the ELF depend on its linker script. Blanks in names are written `\ `.

mapinspect_goal := $(.DEFAULT_GOAL)

MAPINSPECT ?= mapinspect
MAPINSPECT_STAMP := $(MAPINSPECT_ELF).mapinspect
MAPINSPECT_STAMPS := $(MAPINSPECT_STAMPS) $(MAPINSPECT_STAMP)

# A file as make spells it, for the shell; `\ ` is a blank of its name.
mapinspect_file = '$(subst ','\'',$(subst \ , ,$(1)))'
# The same for a list of files, each behind an option.
mapinspect_each = $(foreach file,$(subst \ ,|,$(2)),$(1) $(call mapinspect_file,$(subst |, ,$(file))))

# What belongs to this image only: a later include changes the variables above.
$(MAPINSPECT_STAMP) $(MAPINSPECT_ELF): mapinspect_options := \
  --map $(call mapinspect_file,$(or $(MAPINSPECT_MAP),$(MAPINSPECT_ELF).map)) \
  $(call mapinspect_each,--config,$(MAPINSPECT_CONFIG)) \
  $(call mapinspect_each,--model,$(MAPINSPECT_MODELS))

MAPINSPECT_LINK = $(MAPINSPECT) link $(mapinspect_options) --

$(MAPINSPECT_STAMP): $(MAPINSPECT_ELF) $(MAPINSPECT_CONFIG) $(MAPINSPECT_MODELS)
ifdef MAPINSPECT_REPORT_ONLY
	-$(MAPINSPECT) check --elf $(call mapinspect_file,$<) $(mapinspect_options) --exit-zero
else
	$(MAPINSPECT) check --elf $(call mapinspect_file,$<) $(mapinspect_options) \
	  --stamp $(call mapinspect_file,$@) --depfile $(call mapinspect_file,$@.d)
endif

-include $(MAPINSPECT_STAMP).d

# The includer's first target stays the default, wherever it stands.
.DEFAULT_GOAL := $(mapinspect_goal)
