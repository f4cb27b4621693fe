package tanzanite;

/** Starts an emulator, prints its own process id and the emulator's, and runs until it is killed. */
final class HangingProgram {
  private HangingProgram() {}

  public static void main(String[] words) throws InterruptedException {
    System.out.println(ProcessHandle.current().pid());
    System.out.println(TanzaniteEmulator.shared().process().pid());
    Thread.currentThread().join();
  }
}
