/* What the processor can do. */
#ifndef ATTN_PROCESSOR_H
#define ATTN_PROCESSOR_H

/* The x86-64 micro-architecture level (psABI, section 3.1.1) of this processor and operating system: 1 to 4. */
unsigned attn_processor_level(void);

#endif
