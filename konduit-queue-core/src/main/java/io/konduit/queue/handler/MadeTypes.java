package io.konduit.queue.handler;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;

/** Reads from the bytecode of a {@code @Bean} method which classes it instantiates, without calling it. */
final class MadeTypes extends ClassVisitor {
    private final String method;
    private final Set<String> made = new HashSet<>();

    private MadeTypes(String method) {
        super(SpringAsmInfo.ASM_VERSION);
        this.method = method;
    }

    /**
     * The names of the classes that methods of this name instantiate; for a lambda, its interface. Empty when the
     * bytecode cannot be read.
     */
    static Set<String> of(Class<?> owner, String method) {
        MadeTypes visitor = new MadeTypes(method);
        try (InputStream bytes = owner.getResourceAsStream(ClassUtils.getClassFileName(owner))) {
            if (bytes != null) {
                new ClassReader(bytes).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException | IllegalArgumentException e) {
            // class file version is newer than this ASM supports
            return Set.of();
        }
        return visitor.made;
    }

    @Override
    public @Nullable MethodVisitor visitMethod(
            int access, String name, String descriptor, @Nullable String signature, String @Nullable [] exceptions) {
        return name.equals(method) ? new Body() : null;
    }

    private final class Body extends MethodVisitor {
        Body() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode == Opcodes.NEW) {
                made.add(type.replace('/', '.'));
            }
        }

        @Override
        public void visitInvokeDynamicInsn(
                String name, String descriptor, Handle bootstrapMethod, Object... bootstrapArguments) {
            made.add(Type.getReturnType(descriptor).getClassName());
        }
    }
}
