# Restores what Ruby 3 removed and the client needs, which was written for Ruby 2.
require "uri"
require "azure/storage/common"

unless URI.respond_to?(:escape)
  def URI.escape(*arguments)
    URI::DEFAULT_PARSER.escape(*arguments)
  end
end

# Proc.new without a block used the block of the calling method.
Azure::Storage::Common::Service::StorageService.define_singleton_method(:register_request_callback) do |&block|
  @request_callback = block
end
