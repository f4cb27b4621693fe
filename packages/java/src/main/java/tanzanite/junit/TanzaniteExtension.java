package tanzanite.junit;

import static org.junit.platform.commons.support.AnnotationSupport.findAnnotation;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import tanzanite.Refusal;
import tanzanite.TanzaniteAccount;
import tanzanite.TanzaniteEmulator;
import tanzanite.TanzaniteException;

/** The extension that {@link Tanzanite} registers. */
public final class TanzaniteExtension implements ParameterResolver, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private static final ExtensionContext.Namespace OWN = ExtensionContext.Namespace.create(TanzaniteExtension.class);
  private static final String CLIENT = "com.azure.data.tables.TableServiceClient";
  private static final String ASYNC_CLIENT = "com.azure.data.tables.TableServiceAsyncClient";
  private static final Set<String> TYPES =
      Set.of(TanzaniteAccount.class.getName(), TanzaniteEmulator.class.getName(), CLIENT, ASYNC_CLIENT);

  /** JUnit calls this once for each use of the annotation. */
  public TanzaniteExtension() {}

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return TYPES.contains(type.getName()) || (type == String.class && parameter.isAnnotated(Tanzanite.class));
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    TanzaniteAccount account = accountOf(context);
    if (type == TanzaniteAccount.class) return account;
    if (type == TanzaniteEmulator.class) return account.emulator();
    if (type == String.class) return account.connectionString();
    return clientOf(type, account);
  }

  /**
   * This package does not depend on azure-data-tables. If a test names a client's type, azure-data-tables is on the
   * class path of the test.
   */
  private static Object clientOf(Class<?> type, TanzaniteAccount account) {
    try {
      Class<?> builder = Class.forName(CLIENT + "Builder", true, type.getClassLoader());
      Object made = builder.getConstructor().newInstance();
      builder.getMethod("connectionString", String.class).invoke(made, account.connectionString());
      return builder.getMethod(type.getName().equals(CLIENT) ? "buildClient" : "buildAsyncClient").invoke(made);
    } catch (InvocationTargetException failure) {
      throw new ParameterResolutionException("tanzanite: no client can be made: " + failure.getCause(), failure.getCause());
    } catch (ReflectiveOperationException failure) {
      throw new ParameterResolutionException("tanzanite: this version of azure-data-tables is not known: " + failure, failure);
    }
  }

  /** The account of a test or a class. JUnit also searches the stores of enclosing contexts, so the key contains the context's id. */
  private static TanzaniteAccount accountOf(ExtensionContext context) {
    return context.getStore(OWN).getOrComputeIfAbsent(
        context.getUniqueId(), key -> open(wishesOf(context)), TanzaniteAccount.class);
  }

  private static TanzaniteAccount open(List<Tanzanite> wishes) {
    String[] flags = wishes.stream().flatMap(wish -> List.of(wish.flags()).stream()).toArray(String[]::new);
    boolean isOwn = flags.length > 0 || wishes.stream().anyMatch(Tanzanite::own);
    TanzaniteEmulator emulator = isOwn ? TanzaniteEmulator.start(flags) : TanzaniteEmulator.shared();
    TanzaniteAccount account = emulator.account();
    try {
      for (Tanzanite wish : wishes) {
        if (wish.seed().length > 0) account.seed(wish.seed());
        for (String rule : wish.faults()) account.addFault(rule);
      }
      return account;
    } catch (RuntimeException failure) {
      close(account);
      throw failure;
    }
  }

  /** The annotations of the enclosing classes, the class, the method and its parameters. */
  private static List<Tanzanite> wishesOf(ExtensionContext context) {
    List<Tanzanite> wishes = new ArrayList<>();
    for (Class<?> one = context.getRequiredTestClass(); one != null; one = one.getEnclosingClass()) {
      findAnnotation(one, Tanzanite.class).ifPresent(wish -> wishes.add(0, wish));
    }
    context.getTestMethod().ifPresent(method -> {
      findAnnotation(method, Tanzanite.class).ifPresent(wishes::add);
      for (Parameter parameter : method.getParameters()) {
        findAnnotation(parameter, Tanzanite.class).ifPresent(wishes::add);
      }
    });
    return wishes;
  }

  /** A method's annotation applies even if the method has no parameter for the account. */
  @Override
  public void beforeEach(ExtensionContext context) {
    if (findAnnotation(context.getRequiredTestMethod(), Tanzanite.class).isPresent()) accountOf(context);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    end(context);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    end(context);
  }

  private static void end(ExtensionContext context) {
    TanzaniteAccount account = context.getStore(OWN).remove(context.getUniqueId(), TanzaniteAccount.class);
    if (account == null) return;
    try {
      context.getExecutionException().ifPresent(failure -> report(failure, account));
    } finally {
      close(account);
    }
  }

  /** Adds the refused requests to the failure, which every runner and build report shows. */
  private static void report(Throwable failure, TanzaniteAccount account) {
    List<Refusal> refused;
    try {
      refused = account.refused();
    } catch (TanzaniteException ended) {
      // Closing the account reports this failure.
      return;
    }
    if (refused.isEmpty()) return;
    String lines = refused.stream().map(one -> "\n  " + one).collect(Collectors.joining());
    failure.addSuppressed(new RefusedRequests("tanzanite refused requests of this test:" + lines));
  }

  private static void close(TanzaniteAccount account) {
    try {
      account.close();
    } finally {
      if (!account.emulator().isShared()) account.emulator().close();
    }
  }

  /** The refused requests of a failed test, as an exception without a stack. */
  private static final class RefusedRequests extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedRequests(String message) {
      super(message, null, false, false);
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }
}
