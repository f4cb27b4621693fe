# Replaces the gem that sends the coverage of a run to a service.
module Coveralls
  def self.wear!; end
end
