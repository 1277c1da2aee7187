import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Three periodic tasks on a pool of threads. */
public class Timers {
  public static void main(String[] arguments) throws Exception {
    final long start = System.nanoTime();
    final StringBuffer seen = new StringBuffer();
    ScheduledExecutorService pool = Executors.newScheduledThreadPool(3);
    for (int i = 1; i <= 3; i++) {
      final int number = i;
      pool.scheduleAtFixedRate(
          () -> {
            synchronized (seen) {
              seen.append(number).append('@').append((System.nanoTime() - start) / 50000000);
            }
          },
          0, 100L * i, TimeUnit.MILLISECONDS);
    }
    Thread.sleep(5000);
    pool.shutdownNow();
    pool.awaitTermination(1, TimeUnit.SECONDS);
    System.out.println(seen.toString().hashCode() + " " + (System.nanoTime() - start) / 1000000);
  }
}
