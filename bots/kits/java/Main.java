// The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in Strategy.java.

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

final class Main {
    // Not System.in, which asks how much there is to read: a locked bot that is ready may not.
    private static final InputStream IN = new FileInputStream(FileDescriptor.in);
    private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out); // without a buffer: sent at once
    private static final byte[] BUFFER = new byte[1 << 16];
    private static int filled;
    private static int used;

    private Main() {}

    /** Answers every message until the input ends. */
    public static void main(String[] arguments) throws IOException, ClassNotFoundException {
        loadAll(new File(System.getProperty("java.class.path")), "");
        Strategy strategy = null;
        for (String line = readLine(); line != null; line = readLine()) {
            Json message = Json.parse(line);
            switch (message.get("type").text()) {
                case "start" -> {
                    Messages.Start start = Messages.Start.read(message);
                    strategy = new Strategy(start); // before the answer: once it is sent, no file can be opened any more
                    answer(new Messages.Ready(start.id(), true).write());
                }
                case "act" -> answer(strategy.choose(Messages.Act.read(message)).write());
                case "end" -> strategy.end(Messages.End.read(message)); // not answered
                default -> throw new IllegalArgumentException("an unexpected message: " + line);
            }
        }
    }

    /** Loads all classes of a folder: once a locked bot is ready, it can open no file, and so load none of them. */
    private static void loadAll(File folder, String prefix) throws ClassNotFoundException {
        for (File file : folder.listFiles()) {
            if (file.isDirectory()) {
                loadAll(file, prefix + file.getName() + ".");
            } else if (file.getName().endsWith(".class")) {
                Class.forName(prefix + file.getName().substring(0, file.getName().length() - ".class".length()));
            }
        }
    }

    /** Sends one line. Nothing else may be printed to standard output: use System.err. */
    private static void answer(Json reply) throws IOException {
        OUT.write((reply + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** The next line without its end; null where the input ends. */
    private static String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            if (used == filled) {
                used = 0;
                filled = Math.max(IN.read(BUFFER), 0);
                if (filled == 0) {
                    return null;
                }
            }
            int start = used;
            while (used < filled && BUFFER[used] != '\n') {
                used++;
            }
            line.write(BUFFER, start, used - start);
            if (used < filled) {
                used++;
                return line.toString(StandardCharsets.UTF_8);
            }
        }
    }
}
