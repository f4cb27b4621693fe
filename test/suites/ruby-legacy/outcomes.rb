# Writes the outcome of each test as a JSON object per line to the file that SUITE_REPORT names.
require "json"
require "minitest"

module SuiteOutcomes
  def run_one_method(group, name)
        # Minitest seeds the random numbers again for each group, which would give tables of several groups the same names.
    srand Random.new_seed
    result = super
    outcome = result.skipped? ? "skipped" : result.passed? ? "passed" : "failed"
        # The numbers in names follow the order of the tests in a group, so they are removed.
    line = { name: "#{result.klass}: #{result.name.sub(/\Atest_\d+_/, "")}", outcome: outcome, message: result.failures.map { |failure| text_of(failure) }.join("\n") }
    File.open(ENV.fetch("SUITE_REPORT"), "a") { |file| file.puts(JSON.generate(line)) }
    result
  end

  private

  def text_of(failure)
    cause = failure.respond_to?(:error) ? failure.error : failure
    "#{cause.class}: #{cause.message}\n#{(cause.backtrace || []).first(5).join("\n")}"
  end
end

Minitest.singleton_class.prepend(SuiteOutcomes)
